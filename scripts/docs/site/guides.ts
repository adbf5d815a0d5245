import { readdirSync } from "node:fs";
import { join, posix } from "node:path";

/** A page that stands in `docs`. */
export interface GuidePage {
  /** From the root of the repository: `docs/guides/agents.md`. */
  readonly file: string;
  /** From the root of the site: `guides/agents.md`. */
  readonly path: string;
  readonly group: string;
}

export interface Group {
  readonly text: string;
  readonly pages: readonly string[];
}

/** Pages for maintainers, which the site does not show. */
export const maintainerPages = ["docs/architecture.md", "docs/performance-internals.md", "docs/mastra-documents.md"];

/** The pages of the sidebar, in its order. */
export function listGuides(groups: readonly Group[]): GuidePage[] {
  return groups.flatMap(({ text, pages }) =>
    pages.map((page) => {
      const file = `${posix.join("docs/guides", page)}.md`;
      return { file, path: posix.relative("docs", file), group: text };
    }),
  );
}

/** Guides that are in no group or in two, groups that name pages which do not exist, and pages that are for maintainers. */
export function findGroupProblems(root: string, groups: readonly Group[]): string[] {
  const listed = listGuides(groups).map(({ file }) => file);
  const found = ["docs", "docs/guides"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  );
  const wanted = found.filter((file) => !maintainerPages.includes(file));
  return [
    ...wanted.filter((file) => !listed.includes(file)).map((file) => `${file} is in no group of site/pages.ts`),
    ...listed
      .filter((file) => !found.includes(file))
      .map((file) => `site/pages.ts names ${file}, which does not exist`),
    ...listed.filter((file, at) => listed.indexOf(file) !== at).map((file) => `${file} is twice in site/pages.ts`),
    ...listed
      .filter((file) => maintainerPages.includes(file))
      .map((file) => `${file} is for maintainers: not in the site`),
  ];
}
