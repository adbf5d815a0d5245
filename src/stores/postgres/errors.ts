import { storeFailed } from "../../checkpoint/errors.js";
import { invalidOption } from "../../compose/errors.js";
import { KumikoError, messageOf } from "../../errors.js";

export const noConnection = (store: string): KumikoError =>
  invalidOption(
    `A ${store} needs { connectionString } or { pool }, and one of them only. A pool is a Pool of the package pg, or one like it.`,
  );

export const unknownStoreOption = (store: string, name: string, known: readonly string[]): KumikoError =>
  invalidOption(`A ${store} has no option "${name}". There are ${known.join(", ")}.`);

export const invalidTable = (name: unknown): KumikoError =>
  invalidOption(
    `${typeof name === "string" ? JSON.stringify(name) : `A ${typeof name}`} cannot name the table of a postgresStore. ` +
      'Give "table" or "schema.table", without quotes: letters, digits and _, no digit first, at most 63 bytes each.',
  );

export const packageMissing = (store: string, cause: unknown): KumikoError =>
  storeFailed(`A ${store} with a connectionString needs the package pg. Install it: npm install pg`, cause);

export const newerTable = (table: string, layout: number, known: number): KumikoError =>
  storeFailed(
    `The table ${table} was made by a newer version of kumiko (layout ${layout}; this one knows ${known}). Update kumiko, or name another table.`,
  );

/** What a statement failed with, in a text that `hide` has seen. */
export const postgresFailed = (doing: string, cause: unknown, hide: (text: string) => string): KumikoError =>
  storeFailed(hide(`PostgreSQL failed in ${doing}: ${reasonOf(cause)}`), cause);

export const tableNotMade = (table: string, entries: string, statements: string, error: KumikoError): KumikoError =>
  storeFailed(
    `${error.message}. Let a user who may create the tables ${table} and ${entries}, and grant this user SELECT, INSERT, UPDATE ` +
      `and DELETE in both, run:\n${statements}`,
    error.cause,
  );

export const tableNotChanged = (table: string, entries: string, statements: string, error: KumikoError): KumikoError =>
  storeFailed(
    `${error.message}. The table ${table} was made by an older version of kumiko, and has to be changed. Let its owner, who may ` +
      `also make the table ${entries}, run:\n${statements}`,
    error.cause,
  );

/** The error code of PostgreSQL or of Node.js. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** A host with several addresses fails with an error that has no text of its own. */
function reasonOf(cause: unknown): string {
  const causes = cause instanceof AggregateError && cause.message === "" ? cause.errors : [cause];
  return causes.map(messageOf).join(", ");
}

export const invalidAnn = (ann: unknown): KumikoError =>
  invalidOption(`The option ann of postgresVectors is "hnsw" or left out, not ${JSON.stringify(ann)}.`);

export const invalidSchema = (schema: unknown): KumikoError =>
  invalidOption(
    `${JSON.stringify(schema)} cannot name the schema of postgresVectors. Give letters, digits and _, no digit first, at most 63 bytes.`,
  );

export const tooManyDimensions = (dimension: number): KumikoError =>
  invalidOption(
    `An HNSW index of pgvector takes up to 4,000 dimensions, and this one has ${dimension}. Open the store without ann.`,
  );

export const noPgvector = (error: KumikoError): KumikoError =>
  storeFailed(
    `${error.message}. postgresVectors needs the extension pgvector in its database: install it on the server, and let ` +
      "a user who may do so run: CREATE EXTENSION vector",
    error.cause,
  );

export const oldPgvector = (version: string): KumikoError =>
  storeFailed(
    `postgresVectors needs pgvector 0.8 or newer, and this database has ${version}. Update it on the server, then run: ` +
      "ALTER EXTENSION vector UPDATE",
  );

export const tooManyTerms = (id: string): KumikoError =>
  new KumikoError(
    "INVALID_DOCUMENT",
    `The document of ${JSON.stringify(id)} has more words than PostgreSQL keeps for one entry. Split it into chunks, or create the ` +
      "index with text: false.",
  );
