import { KumikoError, messageOf } from "../errors.js";
import { shorten } from "../schema/shorten.js";

export const invalidRagOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const invalidDocument = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("INVALID_DOCUMENT", what, cause === undefined ? {} : { cause });

export const emptySeparator = (pattern: RegExp): KumikoError =>
  invalidRagOption(
    `The separator ${String(pattern)} matches the empty string, so it would split everywhere. Change it to match at least one character.`,
  );

export const unmatchedSeparator = (pattern: RegExp): KumikoError =>
  invalidRagOption(
    `The separator ${String(pattern)} cannot match any text, so it would never split. It may be made from an empty list.`,
  );

export const conflictingSynonyms = (first: string, second: string): KumikoError =>
  invalidRagOption(
    `${first} and ${second} are two names for the same option, but their values differ. Set only one of them.`,
  );

export const invalidValue = (name: string, rule: string, given: unknown): KumikoError =>
  invalidRagOption(`${name} must be ${rule}, but is ${shorten(given, { length: 80 })}.`);

export const misplacedOption = (method: string, name: string): KumikoError =>
  invalidRagOption(
    `The second argument of ${method} is a context, and ${name} is an option. Write { options: { ${name}: … } }.`,
  );

export const reservedMetadata = (key: string): KumikoError =>
  invalidDocument(
    `The metadata of a document has the key "${key}", which is reserved for the position of its chunks. Rename the key; if the document is itself a chunk, split the original document instead.`,
  );

export const reservedChunkKey = (key: string): KumikoError =>
  invalidRagOption(
    `The metadata key "${key}" is reserved for the position of a chunk in its document. Use another name.`,
  );

export const unknownTokenizer = (kind: "encoding" | "model", name: unknown, known: readonly string[]): KumikoError =>
  invalidRagOption(`Unknown ${kind} ${shorten(name, { length: 80 })}. Supported: ${known.join(", ")}.`);

export const notJson = (cause: unknown): KumikoError =>
  invalidDocument(`The document is not JSON: ${messageOf(cause)}. Use MDocument.fromText for other formats.`, cause);

export const unknownSelector = (selector: unknown, why: string): KumikoError =>
  invalidRagOption(
    `The selector ${shorten(selector, { length: 80 })} is not supported: ${why}. Supported: tag, .class, #id, [name], [name=value], and descendants such as "main p.note".`,
  );

export const noModel = (): KumikoError =>
  new KumikoError(
    "NO_MODEL",
    "Extracting titles, summaries, keywords or questions needs a model. Set one: extract: { model, summary: true }.",
  );

export const extractionFailed = (kind: string, chunk: string, cause: unknown): KumikoError =>
  new KumikoError(
    "EXTRACTION_FAILED",
    `Extracting the ${kind} of chunk "${chunk}" failed. To continue without it, set onError: "skip". ${messageOf(cause)}`,
    { cause },
  );

export const embeddingFailed = (what: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "EMBEDDING_FAILED",
    cause === undefined ? what : `${what} ${messageOf(cause)}`,
    cause === undefined ? {} : { cause },
  );

export const documentNotEmbedded = (id: string): KumikoError =>
  invalidDocument(
    `The document ${shorten(id, { length: 80 })} has no embedding, but others have one. Give vectorIndexer an embedder, or embed all documents first.`,
  );

export const missingSetting = (name: string): KumikoError =>
  invalidRagOption(
    name === "queryText"
      ? "queryText is missing in the input of the tool. Pass the text to look for."
      : `${name} is missing. Set it when you create the tool, or in the request context.`,
  );

export const unknownVectorStore = (name: string, known: readonly string[], cause?: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `Unknown vector store "${name}". Stores: ${known.join(", ") || "none"}. Add it to vectorStores.`,
    cause === undefined ? {} : { cause },
  );

export const notAnEmbedder = (given: unknown): KumikoError =>
  invalidRagOption(
    `This is not an embedder (got ${shorten(given, { length: 80 })}). Pass a component with embed(texts, ctx), or an embedding model of the AI SDK.`,
  );

export const outsideRun = (what: string): KumikoError =>
  invalidRagOption(
    `${what} needs a run, but this component was called outside one. Call it in a graph, or pass it the ctx of a node.`,
  );
