import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import { type ErrorCode, endsRun, KumikoError, messageOf } from "../../errors.js";
import { isFields, numberIf, textIf } from "../../is.js";
import { isRetryableModelError } from "../../models/is-retryable-model-error.js";
import { causesOf } from "../../run/policies/causes-of.js";
import { ToolError } from "../../tools/define/errors.js";
import { invalidTape } from "./errors.js";
import type { Json } from "./plain-json.js";

type KeptError = { readonly [field: string]: Json };

/** A lasting error in the form of a tape; `undefined` for temporary errors, aborts, questions and misses, which no tape keeps. */
export function keptError(error: unknown, signal: AbortSignal | undefined): KeptError | undefined {
  if (signal?.aborted === true || endsRun(error) || causedByInterrupt(error)) return undefined;
  if (causesOf(error).some(isAbort) || isRetryableModelError(error) || isOfTape(error)) return undefined;
  const fields: Record<string, Json> = { message: messageOf(error) };
  if (!isFields(error)) return fields;
  const { name, code, status, statusCode, kind } = error;
  for (const [key, value] of Object.entries({ name, code, status, statusCode })) {
    const kept = textIf(value) ?? numberIf(value);
    if (kept !== undefined) fields[key] = kept;
  }
  if (ToolError.is(error)) fields.kind = String(kind);
  return fields;
}

/** Errors about the tape itself. */
function isOfTape(error: unknown): boolean {
  return KumikoError.is(error) && (error.code === "NOT_SERIALIZABLE" || error.code === "INVALID_TAPE");
}

function isAbort(error: unknown): boolean {
  return isFields(error) && (error.name === "AbortError" || error.code === "ABORT_ERR");
}

/** The error of a tape as it can be thrown again. */
export function replayedError(
  kept: Json,
  path: string,
  call?: { readonly toolName: string; readonly callId: string },
): Error {
  const { message, name, code, status, statusCode, kind } = isFields(kept) ? kept : {};
  const text = textIf(message);
  if (text === undefined) return invalidTape(path, "has an answer whose error has no message");
  if (kind !== undefined && call !== undefined) return new ToolError(kind as ToolError["kind"], text, call);
  const error = name === "KumikoError" ? new KumikoError(String(code) as ErrorCode, text) : new Error(text);
  const fields = { name, code, status, statusCode, isRetryable: false };
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined || (key === "code" && KumikoError.is(error))) continue;
    Object.defineProperty(error, key, { value, configurable: true, writable: true, enumerable: key !== "name" });
  }
  return error;
}
