import { parsePage, setupSummary } from "./markdown.js";

/** The first screen of a page, in lines of its source; what is folded away does not count. */
const screen = 50;
const longPage = 12_000;

/** What a page for readers lacks, each with page and line. */
export function findShapeProblems(page: string, text: string): string[] {
  const lines = text.split(/\r?\n/);
  const [title, blank, sentence = ""] = lines;
  const headings = lines.flatMap((line, index) => (/^## /.test(line) ? [{ line, number: index + 1 }] : []));
  const last = headings.at(-1);
  const run = parsePage(page, text).blocks.find((block) => block.run);
  const problems: string[] = [];
  if (!/^# \S/.test(title ?? "") || blank !== "" || !/^[`A-Z]/.test(sentence)) {
    problems.push(`${page}:3 does not begin with a sentence that says what the page is for`);
  }
  if (text.includes(`<summary>${setupSummary}</summary>`) && !firstSentence(lines).includes(setupSummary)) {
    problems.push(`${page}:3 does not say in its first sentence that there is a "${setupSummary}"`);
  }
  if (run === undefined || run.line - foldedLines(lines.slice(0, run.line)) > screen) {
    problems.push(`${page}:${run?.line ?? 1} has no block that runs within the first screen`);
  }
  if (last?.line !== "## Next") problems.push(`${page}:${last?.number ?? 1} does not end with a section "Next"`);
  if (text.length > longPage && !lines.slice(0, screen * 2).some((line) => /^- \[.*\]\(#/.test(line))) {
    problems.push(`${page}:1 has more than ${longPage} characters and no list of its contents`);
  }
  return problems;
}

function firstSentence(lines: readonly string[]): string {
  const rest = lines.slice(2);
  const sentence = rest.slice(0, rest.indexOf("")).join(" ");
  return sentence.slice(0, sentence.search(/\.(?: |$)/) + 1);
}

function foldedLines(lines: readonly string[]): number {
  let inside = false;
  return lines.filter((line) => {
    const opens = line.includes("<details>");
    const closes = line.includes("</details>");
    const folded = inside || opens;
    inside = (inside || opens) && !closes;
    return folded;
  }).length;
}

/** The words of the glossary that no other page uses. */
export function findUnusedWords(glossary: string, pages: readonly string[]): string[] {
  const words = [...glossary.matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, word = ""]) => word);
  return words.filter((word) => !pages.some((text) => new RegExp(`\\b${word}(?:s|es)?\\b`, "i").test(text)));
}
