import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { largestIndex, names, needed, queries } from "./queries.js";
import { miniSearch } from "./search.js";

interface Index {
  search(query: string, options: object): readonly { readonly id: string }[];
}
interface MiniSearchModule {
  readonly default: { loadJSON(json: string, options: object): Index };
}

/** Asks the built index as the search box does. Tells what is not found, and an index that is too large. */
export async function checkSearch(dist: string): Promise<string[]> {
  const chunks = join(dist, "assets/chunks");
  const name = readdirSync(chunks).find((file) => file.startsWith("@localSearchIndex"));
  if (name === undefined) return ["The site has no search index."];
  const path = join(chunks, name);
  const bytes = gzipSync(readFileSync(path), { level: 9 }).length;
  const index = await loadIndex(path);
  const find = (query: string) => index.search(query, miniSearch.searchOptions).map(({ id }) => pageOf(id));
  const missed = queries.flatMap(([query, ...pages]) => {
    const found = find(query).slice(0, 3);
    return found.some((page) => pages.includes(page)) ? [] : [`"${query}" finds ${found.join(", ") || "nothing"}`];
  });
  const unfound = names.flatMap(([name, ...pages]) => {
    const [first] = find(name);
    return first !== undefined && pages.includes(first) ? [] : [`"${name}" finds ${first ?? "nothing"} first`];
  });
  console.log(`search: ${queries.length - missed.length} of ${queries.length} queries, ${bytes} bytes gzipped`);
  for (const line of missed) console.log(`  ${line}`);
  return [
    ...(queries.length - missed.length < needed
      ? [`The search finds fewer than ${needed} queries of site/queries.ts`]
      : []),
    ...unfound,
    ...(bytes > largestIndex ? [`The search index has ${bytes} bytes gzipped, and may have ${largestIndex}`] : []),
  ];
}

async function loadIndex(path: string): Promise<Index> {
  const require = createRequire(import.meta.url);
  const { default: MiniSearch }: MiniSearchModule = await import(pathToFileURL(require.resolve("minisearch")).href);
  const { default: json }: { default: string } = await import(pathToFileURL(path).href);
  // the fields of VitePress's index
  return MiniSearch.loadJSON(json, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    ...miniSearch.options,
  });
}

/** `/guides/agents.html#events` → `guides/agents`. */
function pageOf(id: string): string {
  return id
    .replace(/#.*$/, "")
    .replace(/^\//, "")
    .replace(/\.html$/, "");
}
