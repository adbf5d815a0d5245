import { askServiceForJson, requireResults, trimmedText } from "./ask-service.js";
import { makeSearchTool, requireText, type SearchTool, type SearchToolOptions } from "./search-tool.js";

/** Options of {@link tavilySearch}. */
export interface TavilySearchOptions extends SearchToolOptions {
  /** A key for the Tavily API. */
  readonly apiKey: string;
}

/**
 * A tool that searches the web with the Tavily API. Returns up to 20 results.
 *
 * @example
 * const search = tavilySearch({ apiKey: "tvly-key" });
 */
export function tavilySearch(options: TavilySearchOptions): SearchTool {
  const apiKey = requireText("tavilySearch", "apiKey", options?.apiKey);
  return makeSearchTool(options, {
    name: "tavilySearch",
    own: ["apiKey"],
    most: 20,
    search: async (search) => {
      const answer = await askServiceForJson(
        {
          service,
          url: new URL("https://api.tavily.com/search"),
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
          body: JSON.stringify({ query: search.query, max_results: search.count }),
          secrets: [apiKey],
        },
        search,
      );
      const list = answer.results;
      return requireResults({ service, answer, list, mayBeEmpty: false, address: "url" }).map(
        ({ title, url, content }) => ({
          title: trimmedText(title),
          url: trimmedText(url),
          snippet: trimmedText(content),
        }),
      );
    },
  });
}

const service = "Tavily";
