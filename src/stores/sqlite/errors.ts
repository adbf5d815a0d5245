import { storeFailed } from "../../checkpoint/errors.js";
import { invalidOption } from "../../compose/errors.js";
import { KumikoError, messageOf } from "../../errors.js";

export const invalidPath = (store: string, path: unknown): KumikoError =>
  invalidOption(`${store} needs the path of a file, or ":memory:" (got ${JSON.stringify(path) ?? typeof path}).`);

export const invalidSynchronous = (value: unknown): KumikoError =>
  invalidOption(`The option synchronous of sqliteStore must be "full" or "normal" (got ${JSON.stringify(value)}).`);

export const invalidDriver = (value: unknown): KumikoError =>
  invalidOption(`The option driver of sqliteVectors must be "node:sqlite" or "libsql" (got ${JSON.stringify(value)}).`);

export const otherDriver = (wanted: string, used: string): KumikoError =>
  invalidOption(
    `This process has already opened databases with ${used}, and sqlite-vec works with only one SQLite library per process. ` +
      `Leave the option driver out, or open the store with driver: "${wanted}" before all others.`,
  );

export const noNodeSqlite = (): KumikoError =>
  invalidOption(
    `This Node.js (${process.version}) has no node:sqlite, which needs Node.js 22.13 or newer. Use driver: "libsql".`,
  );

export const lengthOutOfRange = (what: string): KumikoError =>
  new KumikoError(
    "INVALID_VECTOR",
    `${what} is too long or too short for SQLite, which calculates cosines in single precision. Normalize it to a length of 1.`,
  );

export const noDriver = (cause: unknown): KumikoError =>
  new KumikoError(
    "PACKAGE_MISSING",
    `No SQLite library was found. This Node.js (${process.version}) has no node:sqlite, which needs 22.13 or newer, and the package ` +
      `libsql could not be loaded. Install it: npm install libsql. Or update Node.js. ${messageOf(cause)}`,
    { cause },
  );

/** An error of SQLite or its driver. */
export const sqliteFailed = (file: string, code: number | undefined, cause: unknown): KumikoError =>
  storeFailed(`The SQLite store ${JSON.stringify(file)} failed. ${advice(code)}${messageOf(cause)}`, cause);

export const stayedLocked = (file: string, seconds: number, cause: unknown): KumikoError =>
  storeFailed(
    `The SQLite store ${JSON.stringify(file)} was locked for ${seconds} seconds. Nothing was changed. Find out which process holds ` +
      `a transaction open, then try again: ${messageOf(cause)}`,
    cause,
  );

export interface ExpectedTables {
  readonly layout: number;
  readonly part: string;
  /** The names of the tables that the file has. */
  readonly tables: readonly string[];
}

export const otherLayout = (file: string, found: number, { layout, part, tables }: ExpectedTables): KumikoError => {
  const isNewer = found > layout;
  const drop = [...tables.map((table) => `DROP TABLE ${table}`), `DELETE FROM kumiko_schema WHERE part = '${part}'`];
  return storeFailed(
    `The SQLite store ${JSON.stringify(file)} was written by ${isNewer ? "a newer" : "an older"} version of kumiko: its tables of ` +
      `${part} have layout ${found}, but this version uses layout ${layout}. Nothing was changed. ` +
      (isNewer
        ? "Update kumiko here, or use another file."
        : `Use another file, or drop the tables with what they hold: ${drop.join("; ")};`),
  );
};

export const foreignTables = (file: string | undefined, what: string): KumikoError => {
  const store = file === undefined ? "an SQLite store" : `the SQLite store ${JSON.stringify(file)}`;
  return storeFailed(`The tables of ${store} were changed from outside: ${what}. Restore the file.`);
};

function advice(code: number | undefined): string {
  switch (code) {
    case 8:
      return "This process may not write to the file: ";
    case 11:
      return "The file is damaged. Restore it from a backup: ";
    case 13:
      return "The disk is full: ";
    case 14:
      return "Its folder must exist, and this process must be allowed to read and write there: ";
    case 26:
      return "The file at this path is not an SQLite database: ";
    default:
      return "";
  }
}
