import { type HtmlElement, readHtml } from "../rag/chunking/html/read-html.js";
import { readSelector, type Selector } from "../rag/chunking/html/selector.js";
import { askService } from "./ask-service.js";
import { searchUnreadable } from "./errors.js";
import { makeSearchTool, type SearchResult, type SearchTool, type SearchToolOptions } from "./search-tool.js";

/** Options of `duckDuckGoSearch`. */
export type DuckDuckGoSearchOptions = SearchToolOptions;

/**
 * A tool that searches the web with DuckDuckGo. Returns up to 20 results. It needs no key, but the package `parse5`, because
 * DuckDuckGo has no API and its HTML page is parsed. After a few searches per minute, DuckDuckGo answers with a captcha, and the
 * call throws.
 *
 * @example
 * const search = duckDuckGoSearch({ maxResults: 3 });
 */
export function duckDuckGoSearch(options: DuckDuckGoSearchOptions = {}): SearchTool {
  return makeSearchTool(options, {
    name: "duckDuckGoSearch",
    own: [],
    most: 20,
    search: async (search) => {
      const url = new URL("https://html.duckduckgo.com/html/");
      url.searchParams.set("q", search.query);
      const headers = { accept: "text/html", "user-agent": "Mozilla/5.0 (compatible; kumiko)" };
      return readResults(await askService({ service, url, headers, followsRedirects: true }, search));
    },
  });
}

const service = "DuckDuckGo";
const title = readSelector("a.result__a");
const snippet = readSelector(".result__snippet");
const advertisement = readSelector(".result--ad");
const nothing = readSelector(".no-results");
const question = readSelector(".anomaly-modal__title");

interface Found {
  readonly link: HtmlElement;
  title: string;
  snippet: string;
}

async function readResults(page: string): Promise<SearchResult[]> {
  const { texts } = await readHtml(page);
  const results = new Map<HtmlElement, Found>();
  let last: Found | undefined;
  let isEmpty = false;
  for (const { value, parent } of texts) {
    if (closest(parent, question)) throw searchUnreadable(service, "it asks to solve a captcha", page);
    isEmpty ||= closest(parent, nothing) !== undefined;
    const link = closest(parent, title);
    if (link !== undefined) {
      last = results.get(link) ?? { link, title: "", snippet: "" };
      results.set(link, last);
      last.title += value;
    } else if (last !== undefined && closest(parent, snippet)) last.snippet += value;
  }
  if (results.size === 0 && !isEmpty) throw searchUnreadable(service, "it contains no results", page);
  return [...results.values()].flatMap((result) => {
    const url = closest(result.link, advertisement) ? undefined : addressOf(result.link.attribute("href") ?? "");
    return url === undefined ? [] : [{ title: oneLine(result.title), url, snippet: oneLine(result.snippet) }];
  });
}

function closest(element: HtmlElement, selector: Selector): HtmlElement | undefined {
  for (let place: HtmlElement | undefined = element; place !== undefined; place = place.parent) {
    if (selector(place)) return place;
  }
  return undefined;
}

/** Links go through DuckDuckGo, with the URL of the page in `uddg`. */
function addressOf(href: string): string | undefined {
  if (!URL.canParse(href, "https://duckduckgo.com/")) return undefined;
  const url = new URL(href, "https://duckduckgo.com/");
  const isOwn = url.hostname === "duckduckgo.com" || url.hostname.endsWith(".duckduckgo.com");
  const target = isOwn ? (url.searchParams.get("uddg") ?? "") : url.href;
  return /^https?:/.test(target) && URL.canParse(target) ? target : undefined;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
