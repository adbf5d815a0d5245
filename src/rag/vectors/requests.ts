import { type Fields, isFields } from "../../is.js";
import { invalidDocument, invalidRagOption, invalidValue, unknownRagOption } from "../errors.js";
import { norm } from "../vector-math.js";
import { invalidVector, notStorable } from "./errors.js";
import { type Condition, readFilter } from "./filter.js";
import type {
  CreateIndexOptions,
  DeleteOptions,
  QueryOptions,
  UpdateOptions,
  UpsertOptions,
  VectorMetric,
} from "./vector-store.js";

/** The validated settings of an index. All stores validate their arguments with the functions of this file. */
export interface IndexSettings {
  readonly dimension: number;
  readonly metric: VectorMetric;
  readonly text: boolean;
}

const metrics: readonly unknown[] = ["cosine", "euclidean", "dotproduct"] satisfies VectorMetric[];

export function checkIndexName(name: unknown): string {
  if (typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,47}$/.test(name)) return name;
  throw invalidValue("indexName", "1 to 48 letters, digits and _, not starting with a digit", name);
}

export function readIndexSettings(options: CreateIndexOptions, others: readonly string[] = []): IndexSettings {
  checkNames("createIndex", options, ["indexName", "dimension", "metric", "text", ...others]);
  const { dimension, metric = "cosine", text = true } = options;
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > 16_000)
    throw invalidValue("dimension", "a whole number from 1 to 16,000", dimension);
  if (!metrics.includes(metric)) throw invalidValue("metric", '"cosine", "euclidean" or "dotproduct"', metric);
  if (typeof text !== "boolean") throw invalidValue("text", "true or false", text);
  return { dimension, metric, text };
}

/** An entry to write. Metadata is a string of JSON, as it is stored. */
export interface EntryRow {
  readonly id: string;
  readonly vector: Float32Array;
  readonly document: string;
  readonly metadata: string;
}

export interface EntryRows {
  /** One for each vector of the request. */
  readonly ids: string[];
  /** Without repeated ids: the last entry with an id wins. */
  readonly rows: readonly EntryRow[];
}

export function readEntryRows(options: UpsertOptions, settings: IndexSettings): EntryRows {
  checkNames("upsert", options, ["indexName", "vectors", "ids", "documents", "metadata"]);
  const { vectors, ids, documents, metadata } = options;
  if (!Array.isArray(vectors)) throw invalidValue("vectors", "a list of vectors", vectors);
  for (const [name, list] of Object.entries({ ids, documents, metadata })) {
    if (list === undefined || (Array.isArray(list) && list.length === vectors.length)) continue;
    throw invalidRagOption(`${name} must be a list with one item for each of the ${vectors.length} vectors.`);
  }
  const rows = vectors.map((vector, index) => ({
    id: ids === undefined ? crypto.randomUUID() : readId(ids[index]),
    vector: checkVector(vector, settings, `vectors[${index}]`),
    document: readDocument(documents?.[index] ?? "", `documents[${index}]`),
    metadata: readMetadata(metadata?.[index] ?? {}, `metadata[${index}]`),
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
export function checkVector(vector: unknown, { dimension, metric }: IndexSettings, name: string): Float32Array {
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
  checkNames("query", options, known);
  const { queryVector, queryText, topK = 10, minScore = Number.NEGATIVE_INFINITY } = options;
  if (queryVector === undefined && queryText === undefined) {
    throw invalidRagOption("A query needs a queryVector, a queryText, or both.");
  }
  if (queryText !== undefined && typeof queryText !== "string") throw invalidValue("queryText", "a string", queryText);
  if (!Number.isInteger(topK) || topK < 1 || topK > mostResults)
    throw invalidValue("topK", "a whole number from 1 to 4,096", topK);
  if (typeof minScore !== "number" || Number.isNaN(minScore)) throw invalidValue("minScore", "a number", minScore);
  return {
    vector: queryVector === undefined ? undefined : checkVector(queryVector, settings, "queryVector"),
    text: queryText,
    topK,
    condition: readFilter(options.filter),
    minScore,
    includeVector: options.includeVector === true,
    exact: options.exact === true,
  };
}

/** The changes to an entry; `undefined` keeps a value. */
export type EntryChange = { readonly id: string } & {
  readonly [Name in "vector" | "document" | "metadata"]: EntryRow[Name] | undefined;
};

export function readUpdate(options: UpdateOptions, settings: IndexSettings): EntryChange {
  checkNames("update", options, ["indexName", "id", "vector", "document", "metadata"]);
  const { id, vector, document, metadata } = options;
  return {
    id: readId(id),
    vector: vector === undefined ? undefined : checkVector(vector, settings, "vector"),
    document: document === undefined ? undefined : readDocument(document, "document"),
    metadata: metadata === undefined ? undefined : readMetadata(metadata, "metadata"),
  };
}

/** Deletes entries by id, or all that match a condition; without a condition, all entries. */
export type DeleteRequest =
  | { readonly ids: readonly string[]; readonly condition?: undefined }
  | { readonly ids?: undefined; readonly condition: Condition | undefined };

export function readDelete(options: DeleteOptions): DeleteRequest {
  checkNames("delete", options, ["indexName", "ids", "filter"]);
  const { ids, filter } = options;
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidRagOption(
      "delete needs either ids or a filter. Set exactly one of them; the filter {} deletes all entries.",
    );
  }
  if (ids === undefined) return { condition: readFilter(filter) };
  if (!Array.isArray(ids)) throw invalidValue("ids", "a list of strings", ids);
  return { ids: [...new Set(ids.map(readId))] };
}

function checkNames(where: string, options: object, known: readonly string[]): void {
  if (!isFields(options)) throw invalidValue(`The argument of ${where}`, "an object of options", options);
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownRagOption(where, other, known);
}
