import { KumikoError } from "../../errors.js";
import { shorten } from "../../schema/shorten.js";
import { invalidDocument, invalidRagOption } from "../errors.js";

export const invalidFilter = (why: string, given: unknown): KumikoError =>
  new KumikoError("INVALID_FILTER", `The filter is invalid: ${why} (got ${shorten(given, { length: 80 })}).`);

export const undefinedInFilter = (path: string): KumikoError =>
  new KumikoError(
    "INVALID_FILTER",
    `The filter is invalid: ${path === "" ? "it" : JSON.stringify(path)} is undefined, which would match everything. Set a value, or leave it out on purpose. Entries without a value match { $exists: false }.`,
  );

export const undefinedSelection = (where: string, name: string): KumikoError =>
  invalidRagOption(
    `${name} of ${where} is undefined, so it would not restrict anything. Set it, or leave it out on purpose.`,
  );

export const deletesEverything = (indexName: string): KumikoError =>
  invalidRagOption(
    `The filter of delete matches every entry. To delete all of them, call deleteIndex(${JSON.stringify(indexName)}) and create the index again.`,
  );

export const invalidVector = (what: string): KumikoError => new KumikoError("INVALID_VECTOR", what);

export const noVectors = (index: string, option: string): KumikoError =>
  invalidVector(
    `The index "${index}" holds words only, so it does not support ${option}. Leave it out, or create an index with a dimension.`,
  );

export const notStorable = (what: string): KumikoError =>
  invalidDocument(
    `${what} has a NUL character or half of a surrogate pair, which databases cannot store. Remove it: text.replaceAll("\\0", "").toWellFormed().`,
  );

export const unknownIndex = (name: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_INDEX",
    `There is no index "${name}". Create it with createIndex({ indexName: "${name}", … }). Indexes: ${known.join(", ") || "none"}.`,
  );

export const indexSettingsDiffer = (name: string, found: object, wanted: object): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `The index "${name}" already exists with other settings: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}. Delete it first, or use another name.`,
  );

export const unknownVectorEntry = (index: string, id: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_VECTOR",
    `There is no entry ${shorten(id, { length: 80 })} in the index "${index}". Write it with upsert first.`,
  );

export const noTextIndex = (index: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `The index "${index}" was created with text: false, so it does not support queryText. Create an index with text: true.`,
  );

export const noStems = (): KumikoError =>
  invalidRagOption(
    "memoryVectors finds words only as they are written, so text cannot be { stems }. Set text: true, or use sqliteVectors or postgresVectors.",
  );

export const vectorsClosed = (store: string): KumikoError =>
  new KumikoError("STORE_FAILED", `This ${store} is closed. Open another one.`);
