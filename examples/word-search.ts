// Notes are found by their words and by filters, without vectors, an embedding model or an API key. The tool numbers its
// results, so that a model can cite them.
// expect: words: plane.md, saw.md
// expect: filter: plane.md, saw.md
// expect: [1] A dozuki saw cuts on the pull.
// expect: source 1 is saw.md
// expect: refused: INVALID_FILTER
import { Chain, type Document, KumikoError } from "kumiko";
import { createVectorQueryTool, memoryVectors, type QueryToolResult, vectorIndexer, vectorRetriever } from "kumiko/rag";
import { toolContext } from "kumiko/testing";

const store = memoryVectors();
await store.createIndex({ indexName: "notes" }); // no dimension: words only

const notes: Document[] = [
  { id: "saw.md", content: "A dozuki saw cuts on the pull.", metadata: { topic: "tools" } },
  {
    id: "plane.md",
    content: "A plane cuts slats to one thickness. A plane is pulled, too.",
    metadata: { topic: "tools" },
  },
  { id: "tea.md", content: "Tea is served hot.", metadata: { topic: "tea" } },
];
await new Chain<Document[]>()
  .append(vectorIndexer(store, { index: "notes" }))
  .compile()
  .invoke(notes);

// --- a retriever without an embedder searches for words ----------------------------------------------------------------------

const idsOf = (documents: readonly { readonly id: string }[]) =>
  documents
    .map(({ id }) => id)
    .sort()
    .join(", ");
const retriever = vectorRetriever(store, { index: "notes", topK: 2 });
console.log(`words: ${idsOf(await retriever.retrieve("Which tool cuts?"))}`);

// --- a query can be a filter alone ---------------------------------------------------------------------------------------

console.log(`filter: ${idsOf(await store.query({ indexName: "notes", filter: { topic: "tools" } }))}`);

// --- a tool for a model, which reads numbered results ------------------------------------------------------------------------

const lookUp = createVectorQueryTool({
  id: "look_up",
  vectorStoreName: "main",
  vectorStores: { main: store },
  indexName: "notes",
  topK: 1,
});
const result = (await lookUp.execute({ queryText: "dozuki saw" }, toolContext())) as QueryToolResult;
console.log(result.text);
console.log(`source 1 is ${result.sources[0]?.id}`);

// --- a value that is missing is not "any value" ---------------------------------------------------------------------------

const session: Record<string, string> = {};
try {
  await store.query({ indexName: "notes", filter: { topic: session.topic as string } });
} catch (error) {
  console.log(`refused: ${KumikoError.is(error) ? error.code : error}`);
}
