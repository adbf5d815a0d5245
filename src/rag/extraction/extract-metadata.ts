import { checkOptions } from "../../check-options.js";
import type { AgenticModel } from "../../components/model.js";
import { endsRun } from "../../errors.js";
import { isFields } from "../../is.js";
import { schemaProblem } from "../../schema/json-schema/schema-problem.js";
import type { Chunk } from "../chunk.js";
import { concurrently } from "../concurrently.js";
import { extractionFailed, invalidRagOption, invalidValue, noModel, reservedChunkKey } from "../errors.js";
import type { PartialContext } from "../lone-context.js";
import { type AskOptions, askModel, askModelForJson } from "../model-answer.js";
import type { ExtractOptions, ExtractorOptions } from "./extract-options.js";

const kinds = ["title", "summary", "keywords", "questions"] as const;
type Kind = (typeof kinds)[number];

const optionNames: readonly string[] = [...kinds, "model", "schema", "onError", "concurrency", "signal"];
const defaultCount = 5;

const prompts: Readonly<Record<Kind, (count: number) => string>> = {
  title: () => "Give the following text a title of at most ten words. Answer with the title only.",
  summary: () => "Summarize the following text in two or three sentences. Answer with the summary only.",
  keywords: (count) =>
    `List the ${count} most important keywords of the following text, one per line, and nothing else.`,
  questions: (count) => `Write ${count} questions that the following text answers, one per line, and nothing else.`,
};

/** Has a model extract metadata from each chunk, with one call per chunk and kind. Returns the chunks with that metadata. */
export async function extractMetadata(
  chunks: readonly Chunk[],
  options: ExtractOptions,
  ctx?: PartialContext,
): Promise<Chunk[]> {
  const { model, onError = "throw", concurrency = 4, signal } = checkExtractOptions(options);
  const extractors = extractorsOf(options);
  if (extractors.length === 0) return [...chunks];
  if (model === undefined) throw noModel();
  const found = chunks.map((): Record<string, unknown> => ({}));
  const tasks = chunks.flatMap((chunk, index) => extractors.map((extractor) => ({ chunk, index, extractor })));
  await concurrently(tasks, concurrency, async ({ chunk, index, extractor }) => {
    signal?.throwIfAborted();
    try {
      const fields = await extractor.extract(model, chunk.text, { ctx, signal });
      for (const key of ["start", "end"]) if (Object.hasOwn(fields, key)) throw reservedChunkKey(key);
      Object.assign(found[index] ?? {}, fields);
    } catch (cause) {
      if (signal?.aborted || endsRun(cause)) throw cause;
      if (onError === "throw") throw extractionFailed(extractor.kind, chunk.id, cause);
    }
  });
  return chunks.map((chunk, index) => ({ ...chunk, metadata: { ...chunk.metadata, ...found[index] } }));
}

function checkExtractOptions(options: ExtractOptions): ExtractOptions {
  checkOptions("extract", options, optionNames);
  const { onError, concurrency = 4 } = options;
  if (onError !== undefined && onError !== "throw" && onError !== "skip")
    throw invalidValue("extract.onError", '"throw" or "skip"', onError);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw invalidValue("extract.concurrency", "a whole number of at least 1", concurrency);
  const problem = options.schema === undefined ? undefined : schemaProblem(options.schema);
  if (problem !== undefined) throw invalidRagOption(`extract.schema ${problem}`);
  return options;
}

interface Extractor {
  readonly kind: string;
  extract(model: AgenticModel, text: string, options: AskOptions): Promise<Record<string, unknown>>;
}

function extractorsOf(options: ExtractOptions): Extractor[] {
  const extractors = kinds.flatMap((kind) => {
    const given = options[kind];
    return given === undefined || given === false ? [] : [textExtractor(kind, given === true ? {} : given)];
  });
  const { schema } = options;
  if (schema === undefined) return extractors;
  const fields: Extractor = {
    kind: "fields",
    extract: async (model, text, asking) => {
      const value = await askModelForJson(model, `Extract data from the following text.\n\n${text}`, schema, asking);
      return isFields(value) ? { ...value } : { extracted: value };
    },
  };
  return [...extractors, fields];
}

function textExtractor(kind: Kind, { prompt, count = defaultCount, key = kind }: ExtractorOptions): Extractor {
  if (!Number.isInteger(count) || count < 1)
    throw invalidValue(`extract.${kind}.count`, "a whole number of at least 1", count);
  const question = prompt ?? prompts[kind](count);
  return {
    kind,
    extract: async (model, text, asking) => {
      const answer = await askModel(model, `${question}\n\n${text}`, asking);
      return { [key]: kind === "title" || kind === "summary" ? answer : linesOf(answer) };
    },
  };
}

/** Splits an answer into items. Removes list markers, and splits a single line of keywords at commas. */
function linesOf(answer: string): string[] {
  const lines = answer.split(/\r?\n/);
  const items = lines.length === 1 && !answer.includes("?") ? answer.split(",") : lines;
  return items.map((item) => item.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, "").trim()).filter((item) => item !== "");
}
