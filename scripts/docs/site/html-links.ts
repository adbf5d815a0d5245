import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Links and anchors of built pages that lead nowhere, ids that occur twice, and files that are loaded from elsewhere. */
export function findBrokenHtmlLinks(folder: string): string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".html"))
    .sort();
  const html = new Map(pages.map((page) => [page, withoutCode(readFileSync(join(folder, page), "utf8"))]));
  const ids = new Map([...html].map(([page, text]) => [page, attributes(text, "id")]));
  return pages.flatMap((page) => {
    const text = html.get(page) ?? "";
    const own = ids.get(page) ?? [];
    const links = [...new Set([...attributes(text, "href"), ...attributes(text, "src")])];
    return [
      ...own.filter((id, at) => own.indexOf(id) !== at).map((id) => `${page} has two elements with the id ${id}`),
      ...links.flatMap((link) => judge(folder, page, link, ids) ?? []),
      ...loadedFromElsewhere(text).map((url) => `${page} loads ${url}: nothing comes from elsewhere`),
    ];
  });
}

function judge(
  folder: string,
  page: string,
  link: string,
  ids: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(link)) return undefined;
  const [path = "", anchor] = link.split("#").map(decodeURIComponent);
  const joined = path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(page), path);
  const file = path === "" ? page : joined === "" || joined.endsWith("/") ? `${joined}index.html` : joined;
  if (!existsSync(join(folder, file))) return `${page} leads to ${link}, which does not exist`;
  if (anchor === undefined || anchor === "" || ids.get(file)?.includes(anchor) !== false) return undefined;
  return `${page} leads to ${link}, and ${file} has no such anchor`;
}

/** What a browser would load with the page from another address. */
function loadedFromElsewhere(html: string): string[] {
  const tags = html.match(/<(?:script|img|iframe|source|link)\b[^>]*>/g) ?? [];
  return tags
    .filter((tag) => !/^<link\b(?![^>]*\brel="(?:stylesheet|preload|modulepreload|icon)")/.test(tag))
    .flatMap((tag) => [...attributes(tag, "src"), ...attributes(tag, "href"), ...attributes(tag, "srcset")])
    .filter((url) => /^(?:https?:)?\/\//.test(url));
}

function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, "g"))].map(([, value = ""]) =>
    value.replaceAll("&amp;", "&"),
  );
}

/** Code may show attributes that are none. */
function withoutCode(html: string): string {
  return html.replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, (tag) => tag.slice(0, tag.indexOf(">") + 1));
}
