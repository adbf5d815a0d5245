import { KumikoError } from "../errors.js";
import { kindOf } from "../wording.js";

// messages

export const invalidMessage = (what: string): KumikoError => new KumikoError("INVALID_MESSAGE", what);

export const cannotConcatMessages = (reason: string): KumikoError =>
  new KumikoError("CANNOT_CONCAT", `Message chunks cannot be concatenated: ${reason}`);

// schemas

export const schemaUnsupported = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("SCHEMA_UNSUPPORTED", what, cause === undefined ? {} : { cause });

export const schemaInvalid = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("SCHEMA_INVALID", what, cause === undefined ? {} : { cause });

export const invalidTool = (what: string): KumikoError => new KumikoError("INVALID_TOOL", what);

// streams

export const notAStream = (given: unknown): KumikoError =>
  new KumikoError(
    "TYPE_MISMATCH",
    `A stream can be made from an async iterable, a ReadableStream or an array (got ${kindOf(given)}). ` +
      "Await a promise first, and spread other iterables: [...values].",
  );

export const invalidStreamOption = (option: string, given: unknown): KumikoError =>
  new KumikoError("INVALID_OPTION", `${option} must be a whole number of at least 1 (got ${String(given)}).`);

export const streamConsumed = (): KumikoError =>
  new KumikoError(
    "STREAM_CONSUMED",
    "This stream was already read, copied or passed on, and a stream has only one reader. Call copy(count) before the first read, and give each reader its own copy.",
  );

export const streamCancelled = (reason: unknown): KumikoError =>
  new KumikoError(
    "STREAM_CANCELLED",
    "This stream was cancelled and cannot be read any further. Leaving a `for await` loop early cancels its stream; to continue reading later, call copy(count) first or read with next().",
    { cause: reason },
  );

export const copyOverflow = (limit: number): KumikoError =>
  new KumikoError(
    "COPY_OVERFLOW",
    `This copy of a stream fell more than ${limit} chunks behind the fastest one. Read it faster, cancel it, or raise the limit of copy(count, { limit }).`,
  );

export const integerKey = (key: string): KumikoError =>
  new KumikoError(
    "INVALID_KEY",
    `The key "${key}" cannot be used: it looks like an integer, and JavaScript would move it to the front of the record. ` +
      "Begin it with a letter.",
  );

export const writerClosed = (): KumikoError =>
  new KumikoError(
    "WRITER_CLOSED",
    "write() was called after close() or fail() on the same writer. Write first, then close.",
  );

/** The error for readers of a shared stream when the reader that drives it leaves early. */
export const leftEarly = (reason: unknown): unknown =>
  reason ?? new DOMException("The stream was left before its end.", "AbortError");

// concatenation

export const emptyStream = (where: string): KumikoError =>
  new KumikoError(
    "EMPTY_STREAM",
    `There is nothing to concatenate: ${where} ended without a chunk. Make it produce at least one chunk.`,
  );

export const cannotConcat = (where: string, reason: string): KumikoError =>
  new KumikoError(
    "CANNOT_CONCAT",
    `The chunks of ${where} cannot be concatenated: ${reason}. Declare how they join, with concat: "list", "last", "record", "text" or ` +
      "a function (chunks) => value; chunks of a class can also be joined by a ConcatRegistry.",
  );

export const notAClass = (given: unknown): KumikoError =>
  new KumikoError("INVALID_OPTION", `ConcatRegistry.add(Class, join) needs a class (got ${kindOf(given)}).`);

export const duplicateConcatClass = (name: string): KumikoError =>
  new KumikoError("INVALID_OPTION", `The ConcatRegistry already has a rule for ${name}. Add each class once.`);
