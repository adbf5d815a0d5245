// A tool that searches the web, in a tools node. A function replaces the service, so this runs without an API key and a
// network: leave out `fetch` to call Brave.
// expect: Kumiko & joinery (https://example.com/kumiko): Joined without nails.
// expect: 429: Brave Search (api.search.brave.com) was answered with 429 (try again after 1)
import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  findCause,
  functionToolCall,
  ToolCallError,
  toolResultsOf,
} from "kumiko";
import { braveSearch, type SearchResult } from "kumiko/search";

let requests = 0;
const fetch: typeof globalThis.fetch = async () => {
  requests += 1;
  if (requests > 1) return new Response("", { status: 429, headers: { "retry-after": "1" } });
  const page = {
    title: "Kumiko &amp; joinery",
    url: "https://example.com/kumiko",
    description: "Joined without nails.",
  };
  return Response.json({ web: { results: [page] } });
};

const tools = new AgenticToolsNode([braveSearch({ apiKey: process.env.BRAVE_API_KEY ?? "a key", fetch })]);
const searching = new Chain<string>()
  .append((query) =>
    assistantMessage([functionToolCall({ callId: "1", name: "web_search", arguments: JSON.stringify({ query }) })]),
  )
  .appendToolsNode(tools)
  .append((messages) => messages.flatMap(toolResultsOf).flatMap(({ result }): SearchResult[] => JSON.parse(result)))
  .compile();

for (const { title, url, snippet } of await searching.invoke("kumiko")) console.log(`${title} (${url}): ${snippet}`);

try {
  await searching.invoke("kumiko");
} catch (error) {
  const refused = findCause(error, ToolCallError);
  console.log(`${refused?.status}: ${refused?.message}`);
}
