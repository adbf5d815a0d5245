import { KumikoError } from "../../errors.js";
import { shorten } from "../../schema/shorten.js";
import { invalidDocument } from "../errors.js";

export const invalidFilter = (why: string, given: unknown): KumikoError =>
  new KumikoError("INVALID_FILTER", `The filter is invalid: ${why} (got ${shorten(given, { length: 80 })}).`);

export const invalidVector = (what: string): KumikoError => new KumikoError("INVALID_VECTOR", what);

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
    "UNKNOWN_ENTRY",
    `There is no entry ${shorten(id, { length: 80 })} in the index "${index}". Write it with upsert first.`,
  );

export const noTextIndex = (index: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `The index "${index}" was created with text: false, so it does not support queryText. Create an index with text: true.`,
  );

export const vectorsClosed = (store: string): KumikoError =>
  new KumikoError("STORE_FAILED", `This ${store} is closed. Open another one.`);
