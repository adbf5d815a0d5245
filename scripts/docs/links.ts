import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Links of a page to files and headings that do not exist, each with page and line. Links to the web are not followed. */
export function findBrokenLinks(root: string, page: string): string[] {
  return withoutFences(readFileSync(join(root, page), "utf8")).flatMap((text, index) =>
    [...text.matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, target = ""]) => {
      const problem = judge(root, page, target);
      return problem === undefined ? [] : [`${page}:${index + 1} ${problem}`];
    }),
  );
}

function judge(root: string, page: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(join(root, file))) return `leads to ${file}, which does not exist`;
  if (anchor === undefined || headingsOf(join(root, file)).has(anchor)) return undefined;
  return `leads to #${anchor}, which is no heading of ${file}`;
}

/** The anchors that GitHub gives to the headings of a file. */
function headingsOf(path: string): ReadonlySet<string> {
  const headings = withoutFences(readFileSync(path, "utf8")).flatMap((line) => /^#{1,6} (.*)$/.exec(line)?.[1] ?? []);
  return new Set(headings.map(slugOfHeading));
}

/** The anchor of a heading, as GitHub and the site make it. */
export function slugOfHeading(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** The lines of a page; those in fences are empty. */
function withoutFences(text: string): string[] {
  let inside = false;
  return text.split(/\r?\n/).map((line) => {
    const isFence = /^\s*(?:`{3,}|~{3,})/.test(line);
    if (isFence) inside = !inside;
    return inside || isFence ? "" : line;
  });
}
