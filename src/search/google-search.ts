import { askServiceForJson, requireResults, trimmedText } from "./ask-service.js";
import { makeSearchTool, requireText, type SearchTool, type SearchToolOptions } from "./search-tool.js";

/** Options of {@link googleSearch}. */
export interface GoogleSearchOptions extends SearchToolOptions {
  /** A key for the Custom Search JSON API. */
  readonly apiKey: string;
  /** The id of a Programmable Search Engine (`cx`). */
  readonly searchEngineId: string;
}

/**
 * A tool that searches the web with the Google Custom Search JSON API. Returns up to 10 results.
 *
 * @example
 * const search = googleSearch({ apiKey: "key", searchEngineId: "engine", maxResults: 3 });
 */
export function googleSearch(options: GoogleSearchOptions): SearchTool {
  const apiKey = requireText("googleSearch", "apiKey", options?.apiKey);
  const searchEngineId = requireText("googleSearch", "searchEngineId", options.searchEngineId);
  return makeSearchTool(options, {
    name: "googleSearch",
    own: ["apiKey", "searchEngineId"],
    most: 10,
    search: async (search) => {
      const url = new URL("https://www.googleapis.com/customsearch/v1");
      url.search = new URLSearchParams({
        key: apiKey,
        cx: searchEngineId,
        q: search.query,
        num: String(search.count),
      }).toString();
      const answer = await askServiceForJson({ service, url, secrets: [apiKey] }, search);
      const { items: list, kind, searchInformation } = answer;
      const mayBeEmpty = kind !== undefined || searchInformation !== undefined;
      return requireResults({ service, answer, list, mayBeEmpty, address: "link" }).map(({ title, link, snippet }) => ({
        title: trimmedText(title),
        url: trimmedText(link),
        snippet: trimmedText(snippet).replaceAll(/\s+/g, " "),
      }));
    },
  });
}

const service = "Google Search";
