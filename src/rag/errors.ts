import { KumikoError, messageOf } from "../errors.js";
import { shorten } from "../schema/shorten.js";

export const invalidRagOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const invalidDocument = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("INVALID_DOCUMENT", what, cause === undefined ? {} : { cause });

export const emptySeparator = (pattern: RegExp): KumikoError =>
  invalidRagOption(
    `The separator ${String(pattern)} matches the empty text, and would split everywhere. Let it match at least one character.`,
  );

export const unknownChunkOption = (name: string, strategy: string, known: readonly string[]): KumikoError =>
  invalidRagOption(`The strategy "${strategy}" has no option "${name}". It has: ${known.join(", ")}.`);

export const unknownRagOption = (where: string, name: string, known: readonly string[]): KumikoError =>
  invalidRagOption(`${where} has no option "${name}". It has: ${known.join(", ")}.`);

export const twoValues = (first: string, second: string): KumikoError =>
  invalidRagOption(`${first} and ${second} are two names of one option, and have different values. Give one of them.`);

export const invalidValue = (name: string, rule: string, given: unknown): KumikoError =>
  invalidRagOption(`${name} must be ${rule}, but is ${shorten(given, { length: 80 })}.`);

export const reservedMetadata = (key: string): KumikoError =>
  invalidDocument(
    `The metadata of a document has a "${key}", which is where chunks keep their place. Rename it; if the document is a chunk already, split the whole one.`,
  );

export const reservedChunkKey = (key: string): KumikoError =>
  invalidRagOption(`"${key}" in the metadata of a chunk is where it stands in the document. Use another name.`);

export const noPackage = (name: string, purpose: string, cause: unknown): KumikoError =>
  new KumikoError("PACKAGE_MISSING", `${purpose} needs the package ${name}. Install it: npm install ${name}`, {
    cause,
  });

export const unknownTokenizer = (kind: "encoding" | "model", name: unknown, known: readonly string[]): KumikoError =>
  invalidRagOption(`Unknown ${kind} ${shorten(name, { length: 80 })}. Known ones: ${known.join(", ")}.`);

export const notJson = (cause: unknown): KumikoError =>
  invalidDocument(`The document is not JSON: ${messageOf(cause)}. Use MDocument.fromText for other texts.`, cause);

export const unknownSelector = (selector: unknown, why: string): KumikoError =>
  invalidRagOption(
    `The selector ${shorten(selector, { length: 80 })} is not known: ${why}. There are tag, .class, #id, [name], [name=value], and descendants: "main p.note".`,
  );

export const noModel = (): KumikoError =>
  new KumikoError(
    "NO_MODEL",
    "Extracting titles, summaries, keywords or questions needs a model. Give one: extract: { model, summary: true }.",
  );

export const extractionFailed = (kind: string, chunk: string, cause: unknown): KumikoError =>
  new KumikoError(
    "EXTRACTION_FAILED",
    `Extracting the ${kind} of chunk "${chunk}" failed. To go on without it, set onError: "skip". ${messageOf(cause)}`,
    { cause },
  );

export const embeddingFailed = (what: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "EMBEDDING_FAILED",
    cause === undefined ? what : `${what} ${messageOf(cause)}`,
    cause === undefined ? {} : { cause },
  );

export const unknownVectorStore = (name: string, known: readonly string[], cause?: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `There is no vector store "${name}". Stores: ${known.join(", ") || "none"}. Give it in vectorStores.`,
    cause === undefined ? {} : { cause },
  );

export const notAnEmbedder = (given: unknown): KumikoError =>
  invalidRagOption(
    `This is not an embedder (got ${shorten(given, { length: 80 })}). Give a component with embed(texts, ctx), or an embedding model of the AI SDK.`,
  );

export const outsideRun = (what: string): KumikoError =>
  invalidRagOption(
    `${what} needs a run, and this component was called without one. Call it in a graph, or give its ctx.`,
  );
