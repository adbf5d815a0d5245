import { checkOptions } from "../../check-options.js";
import { shorten } from "../../schema/shorten.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { conflictingSynonyms, invalidRagOption, invalidValue, reservedChunkKey } from "../errors.js";
import type { ChunkStrategy } from "./chunk-options.js";

/** Options whose names and common values have been checked. */
export interface CheckedChunkOptions {
  readonly strategy: ChunkStrategy;
  readonly size: number;
  readonly overlap: number;
  readonly values: Readonly<Record<string, unknown>>;
}

const sizeNames = ["strategy", "size", "maxSize", "stripWhitespace", "extract", "encodingName", "modelName"];
const overlapNames = [...sizeNames, "length", "overlap"];
const separatorNames = [...overlapNames, "separator", "isSeparatorRegex", "keepSeparator", "separatorPosition"];

const optionNames: Readonly<Record<ChunkStrategy, readonly string[]>> = {
  recursive: [...separatorNames, "separators"],
  character: separatorNames,
  token: [...sizeNames, "overlap"],
  markdown: [...overlapNames, "headers", "stripHeaders", "returnEachLine"],
  "semantic-markdown": [...overlapNames, "headers"],
  html: [...overlapNames, "headers", "sections", "returnEachLine"],
  json: [...sizeNames, "length", "minSize", "ensureAscii", "convertLists"],
  latex: [...overlapNames, "headers"],
  sentence: overlapNames,
  semantic: [...overlapNames, "embedder", "threshold"],
};

/** Validates options at run time, for plain JavaScript and for rules that types cannot express. */
export function checkChunkOptions(options: object, byDefault: ChunkStrategy): CheckedChunkOptions {
  if (typeof options !== "object" || options === null) throw invalidValue("The chunk options", "an object", options);
  const values: Readonly<Record<string, unknown>> = { ...options };
  const strategy = strategyOf(values.strategy ?? byDefault);
  checkOptions(`the strategy "${strategy}"`, withoutUndefined({ ...values }), optionNames[strategy]);
  const size = synonyms(values, "size", "maxSize") ?? (strategy === "token" ? 512 : 4_000);
  const overlap = values.overlap ?? 0;
  if (typeof size !== "number" || !(size >= 1)) throw invalidValue("size", "a number of at least 1", size);
  if (typeof overlap !== "number" || !(overlap >= 0)) throw invalidValue("overlap", "a number of at least 0", overlap);
  if (overlap >= size) {
    throw invalidRagOption(`overlap must be smaller than size (got overlap ${overlap}, size ${size}).`);
  }
  checkTypes(values);
  checkTokens(values, strategy);
  const keep = synonyms(values, "keepSeparator", "separatorPosition");
  if (keep !== undefined && keep !== "start" && keep !== "end")
    throw invalidValue("keepSeparator", '"start" or "end"', keep);
  return { strategy, size, overlap, values: { ...values, keepSeparator: keep } };
}

function strategyOf(given: unknown): ChunkStrategy {
  const known = Object.keys(optionNames);
  const found = (known as ChunkStrategy[]).find((name) => name === given);
  if (found !== undefined) return found;
  throw invalidRagOption(`Unknown strategy ${shorten(given, { length: 80 })}. Strategies: ${known.join(", ")}.`);
}

/** The value of an option that has two names. */
function synonyms(values: Readonly<Record<string, unknown>>, first: string, second: string): unknown {
  const [one, other] = [values[first], values[second]];
  if (one !== undefined && other !== undefined && one !== other) throw conflictingSynonyms(first, second);
  return one ?? other;
}

const booleans = [
  "stripWhitespace",
  "isSeparatorRegex",
  "stripHeaders",
  "returnEachLine",
  "ensureAscii",
  "convertLists",
];

function checkTypes(values: Readonly<Record<string, unknown>>): void {
  for (const name of booleans) {
    const value = values[name];
    if (value !== undefined && typeof value !== "boolean") throw invalidValue(name, "true or false", value);
  }
  for (const name of ["headers", "sections"]) {
    const value = values[name];
    if (value !== undefined && !isPairs(value)) {
      throw invalidValue(name, 'a list of pairs of strings, such as [["h1", "title"]]', value);
    }
    for (const [, key] of value ?? []) if (key === "start" || key === "end") throw reservedChunkKey(key);
  }
}

function isPairs(value: unknown): value is readonly (readonly [string, string])[] {
  return (
    Array.isArray(value) &&
    value.every((pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(isFilledText))
  );
}

const isFilledText = (value: unknown): boolean => typeof value === "string" && value !== "";

function checkTokens(values: Readonly<Record<string, unknown>>, strategy: ChunkStrategy): void {
  const { length } = values;
  if (length !== undefined && length !== "characters" && length !== "tokens" && typeof length !== "function") {
    throw invalidValue("length", '"characters", "tokens" or a function that takes a string', length);
  }
  if (strategy === "token" || length === "tokens") return;
  const name = ["encodingName", "modelName"].find((option) => values[option] !== undefined);
  if (name !== undefined)
    throw invalidRagOption(`${name} has no effect unless tokens are counted. Add length: "tokens".`);
}
