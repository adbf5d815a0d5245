import { KumikoError, messageOf } from "../errors.js";
import { shorten } from "../schema/shorten.js";
import { kindOf } from "../wording.js";

export const invalidWorkspaceOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const notFiles = (where: string, given: unknown): KumikoError =>
  invalidWorkspaceOption(
    `files of ${where} must have read, write, list and delete, as folderFiles(root) and storeFiles(store, prefix) return (got ${kindOf(given)}).`,
  );

export const invalidPath = (path: unknown, why: string): KumikoError =>
  new KumikoError("INVALID_KEY", `The path ${shorten(path, { length: 120 })} cannot be used: ${why}.`);

/** The file is not as the caller has read it. */
export const fileChanged = (path: string, expected: string): KumikoError =>
  new KumikoError(
    "CHECKPOINT_CONFLICT",
    `The file ${shorten(path, { length: 120 })} no longer has version ${shorten(expected, { length: 60 })}: it was changed or removed. Read it again before writing.`,
  );

export const notBytes = (data: unknown): KumikoError =>
  invalidWorkspaceOption(`Files are written as bytes, a Uint8Array (got ${kindOf(data)}).`);

export const fileNotRead = (path: string, why: string, cause?: unknown): KumikoError =>
  new KumikoError("LOAD_FAILED", `The file ${shorten(path, { length: 120 })} cannot be read: ${why}`, { cause });

export const fileNotWritten = (path: string, why: string, cause?: unknown): KumikoError =>
  new KumikoError("STORE_FAILED", `The file ${shorten(path, { length: 120 })} cannot be written: ${why}`, { cause });

/** What the system says of a failure. */
export const reasonOf = (cause: unknown): string => `${messageOf(cause)}.`;
