/** Types whose fields are found one by one. Of the others, the section of the type is found by the names of its fields. */
const withOwnSections = /^## \w*(?:Options|Config|Policy|Settings|Event)(?: |$)/;

/** What the search reads of a page: all of its words, but no code of guides, and of the reference names and first sentences. */
export function searchText(path: string, source: string): string {
  if (path.startsWith("api/")) return ""; // the same names as in the reference
  // the last section of a guide only links to others
  if (!path.startsWith("reference/")) return withoutFences(source).replace(/^## Next$.*/ms, "");
  // what kumiko/mastra takes is what kumiko/agents takes, under other names
  if (path === "reference/mastra.md")
    return source
      .split("\n")
      .filter((line) => /^##? /.test(line))
      .join("\n\n");
  return referenceText(source);
}

/** Headings, and the first sentence of each; code names are found by them. A field that types of a page share is read once. */
function referenceText(source: string): string {
  const blocks = source.split(/\n{2,}/);
  const shared = new Set<string>();
  let isCollapsed = false;
  let isRead = false;
  return blocks
    .flatMap((block, at) => {
      if (block.startsWith("---\n")) return [block];
      if (block.startsWith("- ")) return listOfNames(block);
      const field = /^### `([^`]+)`/.exec(block)?.[1];
      if (field !== undefined) {
        const text = `${field} ${blocks.slice(at + 1, at + 3).join(" ")}`;
        isRead = isCollapsed || shared.has(text);
        if (isCollapsed) return [field];
        if (isRead) return [];
        shared.add(text);
        return [block];
      }
      if (/^##? /.test(block)) {
        isCollapsed = !withOwnSections.test(block);
        isRead = false;
        return [block];
      }
      // the type of a field, with its default
      if (isRead || (block.startsWith("`") && blocks[at - 1]?.startsWith("### "))) return [];
      isRead = true;
      return [firstSentence(block)];
    })
    .join("\n\n");
}

/** Names without a section of their own: the others have their sentence there. */
function listOfNames(list: string): string[] {
  const names = list.split("\n").filter((line) => !/^- \[`\w+`\]\(#/.test(line));
  return names.length === 0 ? [] : [names.join("\n")];
}

function firstSentence(paragraph: string): string {
  return /^.*?\.(?=\s|$)/s.exec(paragraph)?.[0] ?? paragraph;
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
