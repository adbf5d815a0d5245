import { relative, sep } from "node:path";
import { Chain, type Document } from "kumiko";
import { splitter, type VectorStore, vectorIndexer } from "kumiko/rag";
import { directoryLoader } from "kumiko/rag/files";
import { withCodeNames } from "./question-words.js";

export const docsIndex = "docs";

const linkTarget = /\]\([^)\s]*\)/g;

/** Pages for people who change this package, not for those who use it. */
const forMaintainers =
  /^docs\/(?:decisions|performance)(?:\/|$)|^docs\/(?:architecture|performance-internals|mastra-documents)\.md$/;

/** Reads the docs of a repository, splits them at their headings, and writes the passages into a store, by words. */
export async function indexDocs(store: VectorStore, repository: string): Promise<readonly string[]> {
  if ((await store.listIndexes()).includes(docsIndex)) await store.deleteIndex(docsIndex);
  const pages = directoryLoader({
    extensions: [".md"],
    ignore: (path) => !/^docs(?:\/|$)/.test(path) || forMaintainers.test(path),
  });
  const sections = splitter("markdown", {
    headers: [
      ["#", "title"],
      ["##", "section"],
      ["###", "part"],
    ],
    size: 1_200,
  });
  return (
    new Chain<{ readonly uri: string }>()
      .append(pages, { key: "read" })
      .append(sections, { key: "split" })
      // the last section of a page only links to others
      .append((passages) => passages.filter(({ metadata }) => metadata.section !== "Next"), { key: "leaveOutLinks" })
      .append((passages) => passages.map((passage) => searchable(passage, repository)), { key: "addWords" })
      .append(vectorIndexer(store, { index: { indexName: docsIndex, text: { stems: "en" } } }), { key: "index" })
      .compile({ name: "index-docs" })
      .invoke({ uri: repository })
  );
}

/** What is searched: the text, its headings once more, and code names in parts. The text itself is kept in the metadata. */
function searchable({ id, content, metadata }: Document, repository: string): Document {
  const { uri, start, title, section, part } = metadata;
  const headings = [title, section, part].filter((heading) => heading !== undefined);
  // only the first passage of a section contains its heading
  const repeated = headings.map((heading) => (content.includes(`# ${heading}\n`) ? heading : `${heading} ${heading}`));
  const path = relative(repository, String(uri)).replaceAll(sep, "/");
  return {
    id,
    content: withCodeNames([...repeated, content.replaceAll(linkTarget, "]")].join("\n")),
    metadata: { path, start, headings, text: content },
  };
}
