import { storeFailed } from "../../checkpoint/errors.js";
import { invalidOption } from "../../compose/errors.js";
import { KumikoError, messageOf } from "../../errors.js";

export const noConnection = (store: string): KumikoError =>
  invalidOption(
    `A ${store} needs either { connectionString } or { pool }. A pool is a Pool of the package pg, or a compatible one.`,
  );

export const invalidTable = (name: unknown): KumikoError =>
  invalidOption(
    `${typeof name === "string" ? JSON.stringify(name) : `A ${typeof name}`} is not a valid table name for postgresStore. ` +
      'Use "table" or "schema.table" without quotes: letters, digits and _, not starting with a digit, at most 63 bytes each.',
  );

/** `tables`: those to drop, quoted for statements. `found` is `undefined` if the table does not name its layout. */
export const otherLayout = (tables: readonly string[], found: number | undefined, known: number): KumikoError => {
  const isNewer = found !== undefined && found > known;
  const [table] = tables;
  const drop = found === undefined ? "drop this one if kumiko created it" : "drop this one with what it holds";
  const origin = `was created by ${isNewer ? "a newer" : "an older"} version of kumiko: it has layout ${found}`;
  return storeFailed(
    `The table ${table} ${found === undefined ? "has no layout of kumiko" : origin}, but this version uses layout ${known}. ` +
      "Nothing was changed. " +
      (isNewer
        ? "Update kumiko, or use another table."
        : `Use another table, or ${drop}: DROP TABLE IF EXISTS ${tables.join(", ")};`),
  );
};

/** A failed statement. `hide` removes secrets from the message. */
export const postgresFailed = (doing: string, cause: unknown, hide: (text: string) => string): KumikoError =>
  storeFailed(hide(`PostgreSQL failed in ${doing}: ${reasonOf(cause)}`), cause);

export const tableNotMade = (table: string, entries: string, statements: string, error: KumikoError): KumikoError =>
  storeFailed(
    `${error.message}. Have a user with the right to create the tables ${table} and ${entries}, and to grant this user SELECT, ` +
      `INSERT, UPDATE and DELETE on both, run:\n${statements}`,
    error.cause,
  );

/** The error code of PostgreSQL or of Node.js. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Connecting to a host with several addresses fails with an AggregateError that has no message. */
function reasonOf(cause: unknown): string {
  const causes = cause instanceof AggregateError && cause.message === "" ? cause.errors : [cause];
  return causes.map(messageOf).join(", ");
}

export const invalidAnn = (ann: unknown): KumikoError =>
  invalidOption(`The option ann of postgresVectors must be "hnsw" or left out (got ${JSON.stringify(ann)}).`);

export const invalidSchema = (schema: unknown): KumikoError =>
  invalidOption(
    `${JSON.stringify(schema)} is not a valid schema name for postgresVectors. Use letters, digits and _, not starting with a digit, at most 63 bytes.`,
  );

export const tooManyDimensions = (dimension: number): KumikoError =>
  invalidOption(
    `An HNSW index of pgvector supports up to 4,000 dimensions, but this index has ${dimension}. Open the store without ann.`,
  );

export const noPgvector = (error: KumikoError): KumikoError =>
  storeFailed(
    `${error.message}. postgresVectors needs the extension pgvector in its database: install it on the server, and have ` +
      "a user with the right to create extensions run: CREATE EXTENSION vector",
    error.cause,
  );

export const oldPgvector = (version: string): KumikoError =>
  storeFailed(
    `postgresVectors needs pgvector 0.8 or newer, but this database has ${version}. Update it on the server, then run: ` +
      "ALTER EXTENSION vector UPDATE",
  );

export const tooManyTerms = (id: string): KumikoError =>
  new KumikoError(
    "INVALID_DOCUMENT",
    `The document of ${JSON.stringify(id)} has more words than a tsvector of PostgreSQL can hold. Split it into chunks, or create the ` +
      "index with text: false.",
  );
