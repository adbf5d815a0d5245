import { storeFailed } from "../../checkpoint/errors.js";
import { invalidOption } from "../../compose/errors.js";
import { KumikoError, messageOf } from "../../errors.js";

export const invalidPath = (store: string, path: unknown): KumikoError =>
  invalidOption(`${store} takes the path of a file, or ":memory:". It got ${JSON.stringify(path) ?? typeof path}.`);

export const unknownOption = (store: string, name: string, known: readonly string[]): KumikoError =>
  invalidOption(`${store} has no option "${name}". There are: ${known.join(", ")}.`);

export const invalidSynchronous = (value: unknown): KumikoError =>
  invalidOption(`The option synchronous of sqliteStore is "full" or "normal", not ${JSON.stringify(value)}.`);

export const invalidDriver = (value: unknown): KumikoError =>
  invalidOption(`The option driver of sqliteVectors is "node:sqlite" or "libsql", not ${JSON.stringify(value)}.`);

export const otherDriver = (wanted: string, used: string): KumikoError =>
  invalidOption(
    `This process has opened databases with ${used}, and sqlite-vec works with one SQLite library per process only. ` +
      `Leave the option driver out, or open the store with driver: "${wanted}" before all others.`,
  );

export const noNodeSqlite = (): KumikoError =>
  invalidOption(
    `This Node.js (${process.version}) has no node:sqlite, which is there from 22.13 on. Use driver: "libsql".`,
  );

export const noVec = (cause: unknown): KumikoError =>
  new KumikoError(
    "PACKAGE_MISSING",
    `Keeping vectors in SQLite needs the package sqlite-vec. Install it: npm install sqlite-vec. ${messageOf(cause)}`,
    { cause },
  );

export const unfitLength = (what: string): KumikoError =>
  new KumikoError(
    "INVALID_VECTOR",
    `${what} is too long or too short for SQLite, which calculates cosines with single precision. Give it a length of 1.`,
  );

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
    `The tables of the SQLite store ${JSON.stringify(file)} were changed from outside: ${what}. Restore the file.`,
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
