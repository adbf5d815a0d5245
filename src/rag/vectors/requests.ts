import { checkOptions } from "../../check-options.js";
import { type Fields, isFields } from "../../is.js";
import { invalidDocument, invalidRagOption, invalidValue } from "../errors.js";
import { norm } from "../vector-math.js";
import { deletesEverything, invalidVector, notStorable, noVectors, undefinedSelection } from "./errors.js";
import { type Condition, constantOf, readFilter } from "./filter.js";
import type {
  CreateIndexOptions,
  DeleteOptions,
  QueryOptions,
  UpdateOptions,
  UpsertOptions,
  VectorMetric,
  WordStems,
} from "./vector-store.js";

/** The validated settings of an index. All stores validate their arguments with the functions of this file. */
export type IndexSettings = VectorSettings | WordSettings;

export interface VectorSettings {
  readonly dimension: number;
  readonly metric: VectorMetric;
  readonly text: boolean | WordStems;
}

/** The settings of an index without vectors. */
export interface WordSettings {
  readonly dimension?: undefined;
  readonly metric?: undefined;
  readonly text: true | WordStems;
}

/** Whether words are indexed by their stems. */
export const hasStems = ({ text }: IndexSettings): boolean => typeof text === "object";

export const hasVectors = (settings: IndexSettings): settings is VectorSettings => settings.dimension !== undefined;

const metrics: readonly unknown[] = ["cosine", "euclidean", "dotproduct"] satisfies VectorMetric[];

export function checkIndexName(name: unknown): string {
  if (typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,47}$/.test(name)) return name;
  throw invalidValue("indexName", "1 to 48 letters, digits and _, not starting with a digit", name);
}

export function readIndexSettings(options: CreateIndexOptions, others: readonly string[] = []): IndexSettings {
  checkOptions("createIndex", options, ["indexName", "dimension", "metric", "text", ...others]);
  const { dimension, metric } = options;
  const text = readText(options.text);
  if (dimension === undefined) {
    // a lost value must not create an index of another kind
    if (Object.hasOwn(options, "dimension"))
      throw invalidValue(
        "dimension",
        "a whole number from 1 to 16,000, or left out for an index of words only",
        dimension,
      );
    if (metric !== undefined || text === false)
      throw invalidRagOption(
        "An index without a dimension holds words only, so it has no metric and needs text search. Set the dimension of its vectors.",
      );
    return { text };
  }
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > 16_000)
    throw invalidValue("dimension", "a whole number from 1 to 16,000", dimension);
  if (metric !== undefined && !metrics.includes(metric))
    throw invalidValue("metric", '"cosine", "euclidean" or "dotproduct"', metric);
  return { dimension, metric: metric ?? "cosine", text };
}

function readText(text: unknown = true): boolean | WordStems {
  if (typeof text === "boolean") return text;
  if (!isFields(text)) throw invalidValue("text", 'true, false or { stems: "en" }', text);
  checkOptions("text of createIndex", text, ["stems"]);
  if (text.stems !== "en") throw invalidValue("text.stems", '"en", the only language there is', text.stems);
  return { stems: "en" };
}

/** An entry to write. Metadata is a string of JSON, as it is stored. */
export interface EntryRow {
  readonly id: string;
  /** Missing in an index of words only. */
  readonly vector: Float32Array | undefined;
  readonly document: string;
  readonly metadata: string;
}

export interface EntryRows {
  /** One for each entry of the request. */
  readonly ids: string[];
  /** Without repeated ids: the last entry with an id wins. */
  readonly rows: readonly EntryRow[];
}

export function readEntryRows(options: UpsertOptions, settings: IndexSettings): EntryRows {
  checkOptions("upsert", options, ["indexName", "vectors", "ids", "documents", "metadata"]);
  const { vectors, ids, documents, metadata } = options;
  if (!hasVectors(settings) && vectors !== undefined) throw noVectors(options.indexName, "vectors");
  const [name, list] = hasVectors(settings) ? ["vectors", vectors] : ["documents", documents];
  if (!Array.isArray(list))
    throw invalidValue(name, hasVectors(settings) ? "a list of vectors" : "a list of strings", list);
  for (const [other, items] of Object.entries({ ids, documents, metadata })) {
    if (items === undefined || (Array.isArray(items) && items.length === list.length)) continue;
    throw invalidRagOption(`${other} must be a list with one item for each of the ${list.length} ${name}.`);
  }
  const rows = Array.from(list, (_, index) => ({
    id: ids === undefined ? crypto.randomUUID() : readId(ids[index]),
    vector: hasVectors(settings) ? checkVector(vectors?.[index], settings, `vectors[${index}]`) : undefined,
    document: readDocument(documents === undefined ? "" : documents[index], `documents[${index}]`),
    metadata: readMetadata(metadata === undefined ? {} : metadata[index], `metadata[${index}]`),
  }));
  return { ids: rows.map(({ id }) => id), rows: [...new Map(rows.map((row) => [row.id, row])).values()] };
}

function readId(id: unknown): string {
  if (typeof id === "string" && id !== "" && id.length <= 1_024 && isStorable(id)) return id;
  throw invalidValue("An id", "a string of 1 to 1,024 characters", id);
}

function readDocument(document: unknown, name: string): string {
  if (typeof document !== "string") throw invalidValue(name, "a string", document);
  if (!isStorable(document)) throw notStorable(name);
  return document;
}

function readMetadata(metadata: unknown, name: string): string {
  if (!isFields(metadata)) throw invalidValue(name, "an object", metadata);
  const text = stringify(metadata, name);
  if (escapedInJson.test(text)) throw notStorable(name);
  return text;
}

function stringify(metadata: Fields, name: string): string {
  try {
    return JSON.stringify(metadata);
  } catch (cause) {
    throw invalidDocument(`${name} must contain only values that JSON can represent.`, cause);
  }
}

/** Matches the JSON escapes of characters that databases reject. */
const escapedInJson = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Whether databases can store a string: they reject NUL characters and lone surrogates. */
function isStorable(text: string): boolean {
  return !/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

/** Validates a vector, and converts it to single precision, in which all stores keep vectors. */
export function checkVector(vector: unknown, { dimension, metric }: VectorSettings, name: string): Float32Array {
  if (!Array.isArray(vector) && !(vector instanceof Float32Array)) {
    throw invalidVector(`${name} must be a list of numbers.`);
  }
  if (vector.length !== dimension) {
    throw invalidVector(`${name} has ${vector.length} numbers, but the index has a dimension of ${dimension}.`);
  }
  const values = new Float32Array(vector);
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    throw invalidVector(`${name} has ${String(vector[wrong])} at index ${wrong}, which is not a finite number.`);
  if (metric === "cosine" && norm(values) === 0) {
    throw invalidVector(
      `${name} has only zeros, so its cosine is undefined. Use another metric, or leave the vector out.`,
    );
  }
  return values;
}

export const mostResults = 4_096;

export interface QueryRequest {
  readonly vector: Float32Array | undefined;
  readonly text: string | undefined;
  readonly topK: number;
  readonly condition: Condition | undefined;
  readonly minScore: number;
  readonly includeVector: boolean;
  readonly exact: boolean;
}

export function readQuery(options: QueryOptions, settings: IndexSettings): QueryRequest {
  const known = ["indexName", "queryVector", "queryText", "topK", "filter", "minScore", "includeVector", "exact"];
  checkOptions("query", options, known);
  const { indexName, queryVector, queryText, topK = 10, minScore, includeVector = false, exact = false } = options;
  const condition = readSelection(options, "query");
  if (queryVector === undefined && queryText === undefined) {
    if (condition === undefined) throw invalidRagOption("A query needs a queryVector, a queryText or a filter.");
    if (minScore !== undefined)
      throw invalidRagOption(
        "minScore needs a queryVector or a queryText, because entries found by a filter alone have no score.",
      );
  }
  if (!hasVectors(settings) && (queryVector !== undefined || includeVector))
    throw noVectors(indexName, queryVector === undefined ? "includeVector" : "queryVector");
  if (queryText !== undefined && typeof queryText !== "string") throw invalidValue("queryText", "a string", queryText);
  if (!Number.isInteger(topK) || topK < 1 || topK > mostResults)
    throw invalidValue("topK", "a whole number from 1 to 4,096", topK);
  if (minScore !== undefined && (typeof minScore !== "number" || Number.isNaN(minScore)))
    throw invalidValue("minScore", "a number", minScore);
  return {
    vector:
      queryVector === undefined || !hasVectors(settings)
        ? undefined
        : checkVector(queryVector, settings, "queryVector"),
    text: queryText,
    topK,
    condition: condition === undefined || constantOf(condition) === true ? undefined : condition,
    minScore: minScore ?? Number.NEGATIVE_INFINITY,
    includeVector: includeVector === true,
    exact: exact === true,
  };
}

/** The filter of a call, if it has one. An undefined one is an error: a lost value would select all entries. */
function readSelection(options: object, where: string): Condition | undefined {
  if (!("filter" in options)) return undefined;
  if (options.filter === undefined) throw undefinedSelection(where, "filter");
  return readFilter(options.filter);
}

/** The changes to an entry; `undefined` keeps a value. */
export type EntryChange = { readonly id: string } & {
  readonly [Name in "vector" | "document" | "metadata"]: EntryRow[Name] | undefined;
};

export function readUpdate(options: UpdateOptions, settings: IndexSettings): EntryChange {
  checkOptions("update", options, ["indexName", "id", "vector", "document", "metadata"]);
  const { id, vector, document, metadata } = options;
  return {
    id: readId(id),
    vector: vector === undefined ? undefined : checkChange(vector, settings, options.indexName),
    document: document === undefined ? undefined : readDocument(document, "document"),
    metadata: metadata === undefined ? undefined : readMetadata(metadata, "metadata"),
  };
}

function checkChange(vector: unknown, settings: IndexSettings, indexName: string): Float32Array {
  if (!hasVectors(settings)) throw noVectors(indexName, "vector");
  return checkVector(vector, settings, "vector");
}

/** Deletes entries by id, or all that match a condition. */
export type DeleteRequest =
  | { readonly ids: readonly string[]; readonly condition?: undefined }
  | { readonly ids?: undefined; readonly condition: Condition };

export function readDelete(options: DeleteOptions): DeleteRequest {
  checkOptions("delete", options, ["indexName", "ids", "filter"]);
  const { indexName, ids } = options;
  const condition = readSelection(options, "delete");
  if ("ids" in options && ids === undefined) throw undefinedSelection("delete", "ids");
  if ((ids === undefined) === (condition === undefined)) {
    throw invalidRagOption("delete needs either ids or a filter. Set exactly one of them.");
  }
  if (condition !== undefined) {
    if (constantOf(condition) === true) throw deletesEverything(indexName);
    return { condition };
  }
  if (!Array.isArray(ids)) throw invalidValue("ids", "a list of strings", ids);
  return { ids: [...new Set(Array.from(ids, readId))] };
}
