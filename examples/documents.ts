// Documents are split, stored in a SQLite file, and found by their words, in any form of them. This needs no API key. To search by
// meaning too, give the index a `dimension`, and the indexer and the retriever an `embedder` of the AI SDK.
// expect: joinery.md:0-91 Joinery
// expect: found joinery.md:0-91 for "Which joint can do without nailing?"
// expect: only tea: tea.json
// expect: recall 1, mrr 1
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chain, type Document } from "kumiko";
import { type Case, type EvaluateContext, evaluate, recallAt, reciprocalRank } from "kumiko/evals";
import { MDocument, splitter, vectorIndexer, vectorRetriever } from "kumiko/rag";
import { sqliteVectors } from "kumiko/sqlite";

const folder = mkdtempSync(join(tmpdir(), "kumiko-documents-"));
const store = sqliteVectors(join(folder, "docs.db"));

// --- directly: chunks know their position --------------------------------------------------------------------------------

const joinery = `# Joinery

Kumiko is a lattice of thin slats. A joint of kumiko needs no glue and no nails.

# Tools

A plane with a groove cuts all slats to one thickness.`;

const document = MDocument.fromMarkdown(joinery, { id: "joinery.md" });
for (const { id, metadata } of await document.chunk({ strategy: "markdown", headers: [["#", "title"]] })) {
  console.log(id, metadata.title);
}

// --- as a chain: each document is split by its type and stored ------------------------------------------------------------

const pages: Document[] = [
  { id: "joinery.md", content: joinery, metadata: { topic: "wood" } },
  { id: "tea.json", content: '{ "green": "Green tea is brewed at seventy degrees." }', metadata: { topic: "tea" } },
];
const index = new Chain<Document[]>()
  .append(splitter("auto"))
  .append(vectorIndexer(store, { index: { indexName: "docs", text: { stems: "en" } } }))
  .compile();
await index.invoke(pages);

// --- questions, with a filter and without ---------------------------------------------------------------------------------

const retriever = vectorRetriever(store, { index: "docs", topK: 1 });
const ask = new Chain<string>().append(retriever).compile();
const question = "Which joint can do without nailing?";
const [best] = await ask.invoke(question);
console.log(`found ${best?.id} for "${question}"`);

const [tea] = await store.query({ indexName: "docs", queryText: "tea", filter: { topic: { $in: ["tea", "coffee"] } } });
console.log(`only tea: ${tea?.id.split(":")[0]}`);

type Relevant = readonly string[] | ((document: Document) => boolean);

const { scores } = await evaluate({
  run: ({ input }: Case<string, Relevant>, ctx: EvaluateContext) => retriever.retrieve(input, ctx),
  scorers: { recall: recallAt(1), rank: reciprocalRank(1) },
}).invoke([
  { input: question, expected: ["joinery.md:0-91"] },
  { input: "Which tea do you brew at 70 °C?", expected: ({ metadata }) => metadata.topic === "tea" },
]);
console.log(`recall ${scores.recall?.mean}, mrr ${scores.rank?.mean}`);

await store.close();
rmSync(folder, { recursive: true });
