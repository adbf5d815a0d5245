import { Chain, passthrough } from "kumiko";
import { splitter, type VectorStore, vectorIndexer, vectorRetriever } from "kumiko/rag";
import { directoryLoader } from "kumiko/rag/files";
import { answerFrom, type DocsAnswer } from "./answer-from.js";
import { embeddingDimension, hashedEmbedder } from "./hashed-embedder.js";

const index = "docs";
const embedder = hashedEmbedder(); // any other embedder goes here, with its dimension

/** Reads the Markdown files of a folder, splits them at their headings, and keeps the chunks with their vectors in a store. */
export async function indexFolder(store: VectorStore, folder: string): Promise<readonly string[]> {
  if ((await store.listIndexes()).includes(index)) await store.deleteIndex(index);
  await store.createIndex({ indexName: index, dimension: embeddingDimension });
  const pipeline = new Chain<{ readonly uri: string }>()
    .append(directoryLoader({ extensions: [".md"] }), { key: "read" })
    .append(
      splitter("markdown", {
        headers: [
          ["#", "title"],
          ["##", "section"],
        ],
        size: 1_200,
      }),
      { key: "split" },
    )
    .append(vectorIndexer(store, { index, embedder }), { key: "index" })
    .compile({ name: "index-docs" });
  return pipeline.invoke({ uri: folder });
}

/** Finds the chunks that fit a question best, by vectors and by words, and answers with sentences of them. */
export function askDocs(store: VectorStore) {
  const find = vectorRetriever(store, { index, embedder, topK: 4, hybrid: true });
  return new Chain<string>()
    .appendParallel({ question: passthrough<string>(), found: find })
    .append(({ question, found }): Promise<DocsAnswer> => answerFrom(question, found), { key: "answer" })
    .compile({ name: "ask-docs" });
}
