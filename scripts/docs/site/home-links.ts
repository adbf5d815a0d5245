/** Links of the home page, in its text and its front matter, that no page of the site answers, each with its line. */
export function findBrokenHomeLinks(file: string, text: string, exists: (path: string) => boolean): string[] {
  return text.split(/\r?\n/).flatMap((line, index) =>
    [...line.matchAll(/\]\(([^()\s]+)\)|\b(?:link|src): ([^\s,}]+)/g)].flatMap(([, inText, inFrontMatter]) => {
      const target = inText ?? inFrontMatter ?? "";
      if (/^[a-z]+:/.test(target)) return [];
      const path = target.replace(/#.*$/, "").replace(/^\.?\//, "");
      return exists(path) ? [] : [`${file}:${index + 1} leads to ${target}, which does not exist`];
    }),
  );
}
