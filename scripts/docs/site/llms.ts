import { firstSentence } from "../reference/reference.js";

/** A page as `llms.txt` names it. */
export interface LlmsPage {
  readonly group: string;
  /** Where a reader finds it: an address of the site, or a file of the package. */
  readonly link: string;
  readonly text: string;
}

const introduction =
  "> TypeScript package for LLM applications: typed chains, graphs, workflows, agents, tools and retrieval, with streaming, " +
  "resume and callbacks. ESM, Node.js 20.19 or newer.";

/** One line for each page: its title, and its first sentence. `more` are lines for what is no page. */
export function llmsText(pages: readonly LlmsPage[], more: readonly string[] = []): string {
  const groups = [...new Set(pages.map(({ group }) => group))];
  const parts = groups.map((group) => {
    const lines = pages.filter((page) => page.group === group).map(({ link, text }) => bullet(link, text));
    return `## ${group}\n\n${lines.join("\n")}`;
  });
  return `${["# Kumiko", introduction, ...more, ...parts].join("\n\n")}\n`;
}

function bullet(link: string, text: string): string {
  return `- [${titleOf(text)}](${link}): ${sentenceOf(text)}`;
}

/** All pages in one text, each after a line with its link. */
export function llmsFullText(pages: readonly LlmsPage[], more: readonly string[] = []): string {
  const parts = pages.map(({ link, text }) => `<!-- ${link} -->\n\n${withoutFrontMatter(text).trim()}`);
  return `${["# Kumiko", introduction, ...more, ...parts].join("\n\n")}\n`;
}

/** The text of the first heading of a page. */
export function titleOf(text: string): string {
  return plain(/^# (.*)$/m.exec(withoutFrontMatter(text))?.[1] ?? "");
}

/** The first sentence below the first heading of a page; empty if something else stands there. */
export function sentenceOf(text: string): string {
  const body = withoutFrontMatter(text).replace(/^[\s\S]*?^# .*$/m, "");
  const [paragraph = ""] = body.trim().split(/\n\s*\n/);
  return /^(?:[#>|]|```|[-*] |<)/.test(paragraph) ? "" : plain(firstSentence(paragraph));
}

export function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---\n/, "");
}

/** Without the addresses of links, and what escapes HTML. */
function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("&lt;", "<")
    .replace(/\s*\{#[^}]*\}$/, "");
}
