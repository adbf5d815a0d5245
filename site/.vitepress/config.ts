import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCssVariablesTheme } from "shiki";
import { type DefaultTheme, defineConfig, type MarkdownOptions } from "vitepress";
import { slugOfHeading } from "../../scripts/docs/links.js";
import { searchOptions } from "../search.js";

interface Navigation {
  readonly guides: DefaultTheme.SidebarItem[];
  readonly reference: DefaultTheme.SidebarItem[];
  readonly api: DefaultTheme.SidebarItem[];
  readonly repository: string;
  readonly version: string;
}

const site = join(import.meta.dirname, "..");
const navigation: Navigation = JSON.parse(readFileSync(join(site, ".out/navigation.json"), "utf8"));

/** Vue would take `{{` in text and in inline code for its own. */
const markdown: MarkdownOptions = {
  // one theme, whose colors are variables of palette.css: with two, each block of code is read twice
  theme: createCssVariablesTheme({ variablePrefix: "--code-" }),
  anchor: { slugify: slugOfHeading },
  // what programs print, and what the compiler says: shown as it is
  languages: ["output", "errors"].map((name) => ({ name, scopeName: `text.${name}`, patterns: [], repository: {} })),
  config: (md) => {
    const { highlight } = md.options;
    if (typeof highlight === "function") md.options.highlight = once(highlight);
    const { text, code_inline: code } = md.renderer.rules;
    const keepBraces = (html: string) => html.replaceAll("{{", "&#123;&#123;");
    md.renderer.rules.text = (...args) => keepBraces(text?.(...args) ?? md.utils.escapeHtml(args[0][args[1]].content));
    md.renderer.rules.code_inline = (...args) => keepBraces(code?.(...args) ?? "");
    md.core.ruler.push("contents", ({ tokens }) => dropContents(tokens));
  },
};

interface Token {
  readonly type: string;
  readonly content: string;
}

const linksToHeadings = /^(?:\s*·?\s*\[[^\]]*\]\(#[^)]*\))+$/;

/** Drops the list of a page's own headings, which each page of the site has beside it: "On this page". */
function dropContents(tokens: Token[]): void {
  const starts = tokens.flatMap(({ type }, index) => (type === "bullet_list_open" ? [index] : []));
  for (const start of starts) {
    const end = tokens.findIndex(({ type }, index) => index > start && type === "bullet_list_close") + 1;
    const items = tokens.slice(start, end).filter(({ type }) => type === "inline");
    if (!items.every(({ content }) => linksToHeadings.test(content))) continue;
    tokens.splice(start, end - start);
    return;
  }
}

/** Signatures of the API are often equal: 4,700 blocks, 2,900 texts. */
function once(
  highlight: (code: string, language: string, attributes: string) => string,
): (code: string, language: string, attributes: string) => string {
  const known = new Map<string, string>();
  return (code, language, attributes) => {
    const key = [language, attributes, code].join("\n");
    const html = known.get(key) ?? highlight(code, language, attributes);
    known.set(key, html);
    return html;
  };
}

export default defineConfig({
  title: "Kumiko",
  description: "Compose LLM applications from typed chains and graphs.",
  srcDir: ".out/pages",
  outDir: "dist",
  cacheDir: ".out/cache",
  cleanUrls: false,
  lastUpdated: false,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/icon.svg" }]],
  markdown,
  vite: { build: { chunkSizeWarningLimit: 4_000 }, logLevel: "warn" },
  themeConfig: {
    logo: { src: "/icon.svg", alt: "" },
    outline: [2, 3],
    nav: [
      { text: "Guides", link: "/guides/first-agent", activeMatch: "^/(?!reference/|api/|index|$)" },
      { text: "Reference", link: navigation.reference[0]?.items?.[0]?.link ?? "/", activeMatch: "^/reference/" },
      { text: "API", link: navigation.api[0]?.items?.[0]?.link ?? "/", activeMatch: "^/api/" },
      { text: "Repository", link: navigation.repository },
    ],
    sidebar: { "/api/": navigation.api, "/reference/": navigation.reference, "/": navigation.guides },
    search: { provider: "local", options: searchOptions },
    footer: { message: `Kumiko ${navigation.version}, MIT licence` },
  },
});
