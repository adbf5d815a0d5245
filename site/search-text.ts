/** Types whose fields are found one by one. Of the others, the section of the type is found by the names of its fields. */
const withOwnSections = /^## \w*(?:Options|Config|Policy|Settings|Event)(?: |$)/;

/** What the search reads of a page: all of its words, but no code of guides, and of the reference no types. */
export function searchText(path: string, source: string): string {
  if (path.startsWith("api/")) return ""; // the same names as in the reference
  if (!path.startsWith("reference/")) return withoutFences(source);
  // what kumiko/mastra takes is what kumiko/agents takes, under other names
  if (path === "reference/mastra.md")
    return source
      .split("\n")
      .filter((line) => /^##? /.test(line))
      .join("\n\n");
  return referenceText(source, withOwnSections);
}

function referenceText(source: string, withSections: RegExp): string {
  const lines: string[] = [];
  let isCollapsed = false;
  let isFirst = false;
  for (const line of source.split("\n")) {
    // the list of names repeats the sentence of each section
    if (/^- \[`\w+`\]\(#/.test(line)) continue;
    const field = /^### `([^`]+)`/.exec(line)?.[1];
    if (line.startsWith("## ")) isCollapsed = !withSections.test(line);
    if (field !== undefined) {
      isFirst = true;
      if (isCollapsed) lines.push(field, "");
      else lines.push(line);
    } else if (line.startsWith("## ") || !isFirst) {
      isFirst = false;
      lines.push(line);
    } else if (!isCollapsed && line !== "" && !/^`/.test(line)) lines.push(line);
    else lines.push("");
  }
  return lines.join("\n");
}

function withoutFences(source: string): string {
  let fence: string | undefined;
  return source
    .split("\n")
    .filter((line) => {
      const mark = /^\s*(?:>\s*)?(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark === undefined) return fence === undefined;
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
      return false;
    })
    .join("\n");
}
