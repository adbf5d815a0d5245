import { existsSync } from "node:fs";
import { join, posix } from "node:path";

export interface LinkTargets {
  /** The root of the repository. */
  readonly root: string;
  /** Pages of the site by their file in the repository: `docs/guides/agents.md` → `guides/agents.md`. */
  readonly pages: ReadonlyMap<string, string>;
  /** Where the files of the repository are read: `https://…/blob/v0.1.0`. */
  readonly repository: string;
}

/**
 * The text of a page as it stands in the site: links to other pages lead there, links to other files lead to the repository.
 * Pictures stay as they are. Links that lead nowhere are told.
 */
export function rewriteLinks(
  file: string,
  text: string,
  { root, pages, repository }: LinkTargets,
): { text: string; problems: string[] } {
  const problems: string[] = [];
  const own = pages.get(file) ?? file;
  const rewrite = (target: string, line: number): string => {
    if (/^(?:[a-z]+:|#)/i.test(target)) return target;
    const [path = "", anchor] = target.split("#");
    const found = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, "");
    const page = pages.get(found);
    const suffix = anchor === undefined ? "" : `#${anchor}`;
    if (page !== undefined) return `${relativeLink(own, page)}${suffix}`;
    if (!existsSync(join(root, found))) problems.push(`${file}:${line} leads to ${found}, which does not exist`);
    return `${repository}/${found}${suffix}`;
  };
  let fence: string | undefined;
  const lines = text.split("\n").map((content, index) => {
    const mark = /^\s*(?:>\s*)?(`{3,}|~{3,})/.exec(content)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    else if (fence === undefined) {
      return content.replace(/(!?\[[^\]]*\])\(([^()\s]+)\)/g, (whole, label: string, target: string) =>
        label.startsWith("!") ? whole : `${label}(${rewrite(target, index + 1)})`,
      );
    }
    return content;
  });
  return { text: lines.join("\n"), problems };
}

function relativeLink(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}
