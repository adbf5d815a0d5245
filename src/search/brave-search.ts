import { isFields } from "../is.js";
import { askServiceForJson, requireResults, trimmedText } from "./ask-service.js";
import { makeSearchTool, requireText, type SearchTool, type SearchToolOptions } from "./search-tool.js";

/** Options of {@link braveSearch}. */
export interface BraveSearchOptions extends SearchToolOptions {
  /** A key for the Web Search API. */
  readonly apiKey: string;
}

/**
 * A tool that searches the web with the Brave Web Search API. Returns up to 20 results.
 *
 * @example
 * const search = braveSearch({ apiKey: "key" });
 */
export function braveSearch(options: BraveSearchOptions): SearchTool {
  const apiKey = requireText("braveSearch", "apiKey", options?.apiKey);
  return makeSearchTool(options, {
    name: "braveSearch",
    own: ["apiKey"],
    most: 20,
    search: async (search) => {
      const url = new URL("https://api.search.brave.com/res/v1/web/search");
      url.search = new URLSearchParams({
        q: search.query,
        count: String(search.count),
        text_decorations: "false",
      }).toString();
      const headers = { accept: "application/json", "x-subscription-token": apiKey };
      const answer = await askServiceForJson({ service, url, headers, secrets: [apiKey] }, search);
      const { web, type } = answer;
      const list = isFields(web) ? web.results : web;
      const found = requireResults({ service, answer, list, mayBeEmpty: type === "search", address: "url" });
      return found.map((result) => ({
        title: plain(result.title),
        url: trimmedText(result.url),
        snippet: plain(result.description),
      }));
    },
  });
}

const service = "Brave Search";

/** Converts HTML to plain text: Brave highlights words with `<strong>`, and escapes characters. */
function plain(value: unknown): string {
  return trimmedText(value)
    .replaceAll(/<\/?[a-z]+>/gi, "")
    .replaceAll(/&(amp|lt|gt|quot|nbsp|#x27|#39);/g, (_, name: string) => entities[name] ?? "");
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: " ",
  "#x27": "'",
  "#39": "'",
};
