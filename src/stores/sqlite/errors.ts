import { storeFailed } from "../../checkpoint/errors.js";
import { invalidOption } from "../../compose/errors.js";
import { type KumikoError, messageOf } from "../../errors.js";

export const invalidPath = (path: unknown): KumikoError =>
  invalidOption(`sqliteStore takes the path of a file, or ":memory:". It got ${JSON.stringify(path) ?? typeof path}.`);

export const unknownOption = (name: string, known: readonly string[]): KumikoError =>
  invalidOption(`sqliteStore has no option "${name}". There are: ${known.join(", ")}.`);

export const invalidSynchronous = (value: unknown): KumikoError =>
  invalidOption(`The option synchronous of sqliteStore is "full" or "normal", not ${JSON.stringify(value)}.`);

export const noDriver = (cause: unknown): KumikoError =>
  storeFailed(
    `There is no SQLite. This Node.js (${process.version}) has none of its own, as it is older than 22.13, and the package ` +
      `libsql cannot be loaded. Run "npm install libsql", or use a newer Node.js. ${messageOf(cause)}`,
    cause,
  );

/** SQLite, or its driver, threw something. */
export const sqliteFailed = (file: string, code: number | undefined, cause: unknown): KumikoError =>
  storeFailed(`The SQLite store ${JSON.stringify(file)} failed. ${advice(code)}${messageOf(cause)}`, cause);

export const stayedLocked = (file: string, seconds: number, cause: unknown): KumikoError =>
  storeFailed(
    `The SQLite store ${JSON.stringify(file)} was locked for ${seconds} seconds. Nothing was changed. Find out who holds a ` +
      `transaction open in it, then try again: ${messageOf(cause)}`,
    cause,
  );

export const newerSchema = (file: string, found: number, known: number): KumikoError =>
  storeFailed(
    `The SQLite store ${JSON.stringify(file)} was written by a newer kumiko: its tables have version ${found}, and this one ` +
      `knows them up to ${known}. Nothing was changed. Update kumiko here, or give this process a file of its own.`,
  );

export const foreignTables = (file: string, what: string): KumikoError =>
  storeFailed(
    `The tables of the SQLite store ${JSON.stringify(file)} were changed by somebody else: ${what}. Restore the file.`,
  );

function advice(code: number | undefined): string {
  switch (code) {
    case 8:
      return "This process may not write it: ";
    case 11:
      return "The file is damaged, restore it from a copy: ";
    case 13:
      return "There is no space left: ";
    case 14:
      return "Its folder must exist, and this process must be allowed to read and write in it: ";
    case 26:
      return "There is a file of another kind at this path: ";
    default:
      return "";
  }
}
