import { storeFailed } from "../../checkpoint/errors.js";
import { invalidOption } from "../../compose/errors.js";
import { type KumikoError, messageOf } from "../../errors.js";

export const noConnection = (): KumikoError =>
  invalidOption(
    "A postgresStore needs { connectionString } or { pool }, and one of them only. A pool is a Pool of the package pg, or one like it.",
  );

export const unknownStoreOption = (name: string, known: readonly string[]): KumikoError =>
  invalidOption(`A postgresStore has no option "${name}". There are ${known.join(", ")}.`);

export const invalidTable = (name: unknown): KumikoError =>
  invalidOption(
    `${typeof name === "string" ? JSON.stringify(name) : `A ${typeof name}`} cannot name the table of a postgresStore. ` +
      'Give "table" or "schema.table", without quotes: letters, digits and _, no digit first, at most 63 bytes each.',
  );

export const packageMissing = (cause: unknown): KumikoError =>
  storeFailed("A postgresStore with a connectionString needs the package pg. Install it: npm install pg", cause);

export const newerTable = (table: string, layout: number, known: number): KumikoError =>
  storeFailed(
    `The table ${table} was made by a newer version of kumiko (layout ${layout}; this one knows ${known}). Update kumiko, or name another table.`,
  );

/** What a statement failed with, in a text that `hide` has seen. */
export const postgresFailed = (doing: string, cause: unknown, hide: (text: string) => string): KumikoError =>
  storeFailed(hide(`PostgreSQL failed in ${doing}: ${reasonOf(cause)}`), cause);

export const tableNotMade = (table: string, statements: string, error: KumikoError): KumikoError =>
  storeFailed(`${error.message}. Let somebody who may make ${table} run:\n${statements}`, error.cause);

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
