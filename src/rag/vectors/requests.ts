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

/** What all stores check in the same way, before they do anything. */
export interface IndexSettings {
  readonly dimension: number;
  readonly metric: VectorMetric;
  readonly text: boolean;
}

const metrics: readonly unknown[] = ["cosine", "euclidean", "dotproduct"] satisfies VectorMetric[];

export function checkIndexName(name: unknown): string {
  if (typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,47}$/.test(name)) return name;
  throw invalidValue("indexName", "a text of letters, digits and _, no digit first, at most 48", name);
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

/** An entry to be written. Metadata is text of JSON, as it is stored. */
export interface EntryRow {
  readonly id: string;
  readonly vector: Float32Array;
  readonly document: string;
  readonly metadata: string;
}

export interface EntryRows {
  /** One for each vector of the request. */
  readonly ids: string[];
  /** Of entries with the same id the last one counts. */
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
  throw invalidValue("an id", "a text of 1 to 1,024 characters", id);
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
    throw invalidDocument(`${name} must hold values of JSON only.`, cause);
  }
}

/** How JSON writes what databases refuse. */
const escapedInJson = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Databases refuse them, and keep no half of a surrogate pair. */
function isStorable(text: string): boolean {
  return !/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

/** A vector with single precision, in which all stores keep them. */
export function checkVector(vector: unknown, { dimension, metric }: IndexSettings, name: string): Float32Array {
  if (!Array.isArray(vector) && !(vector instanceof Float32Array)) {
    throw invalidVector(`${name} must be a list of numbers.`);
  }
  if (vector.length !== dimension) {
    throw invalidVector(`${name} has ${vector.length} numbers, and the index has a dimension of ${dimension}.`);
  }
  const values = new Float32Array(vector);
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    throw invalidVector(`${name} has ${String(vector[wrong])} at ${wrong}, which is not a finite number.`);
  if (metric === "cosine" && norm(values) === 0) {
    throw invalidVector(`${name} has only zeros: it has no direction, and so no cosine with any other.`);
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
  if (queryText !== undefined && typeof queryText !== "string") throw invalidValue("queryText", "a text", queryText);
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

/** What of an entry is to be changed. */
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

/** Ids, or what all entries to be deleted fit; `undefined` for all. */
export type DeleteRequest =
  | { readonly ids: readonly string[]; readonly condition?: undefined }
  | { readonly ids?: undefined; readonly condition: Condition | undefined };

export function readDelete(options: DeleteOptions): DeleteRequest {
  checkNames("delete", options, ["indexName", "ids", "filter"]);
  const { ids, filter } = options;
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidRagOption("delete needs ids or a filter, and one of them only. The filter {} deletes all entries.");
  }
  if (ids === undefined) return { condition: readFilter(filter) };
  if (!Array.isArray(ids)) throw invalidValue("ids", "a list of texts", ids);
  return { ids: [...new Set(ids.map(readId))] };
}

function checkNames(where: string, options: object, known: readonly string[]): void {
  if (!isFields(options)) throw invalidValue(`what ${where} takes`, "an object of options", options);
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownRagOption(where, other, known);
}
