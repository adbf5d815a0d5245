/**
 * Tools that search the web with DuckDuckGo, Google, Brave and Tavily. DuckDuckGo needs the package `parse5`.
 *
 * @packageDocumentation
 */

export { type BraveSearchOptions, braveSearch } from "./brave-search.js";
export { type DuckDuckGoSearchOptions, duckDuckGoSearch } from "./duck-duck-go-search.js";
export { type GoogleSearchOptions, googleSearch } from "./google-search.js";
export type { SearchResult, SearchTool, SearchToolOptions } from "./search-tool.js";
export { type TavilySearchOptions, tavilySearch } from "./tavily-search.js";
