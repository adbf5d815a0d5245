import { isFields } from "../../is.js";
import { invalidTape, notRecordable } from "./errors.js";
import { type Json, notJson, toJson } from "./plain-json.js";
import type { Redact } from "./redact.js";

type Answer = Readonly<Record<string, Json>>;

/** The form in which a tape keeps a value. `what` names its source, for values that JSON cannot hold. */
export function keptValue(value: unknown, what: string): Answer {
  const problem = notJson(value);
  if (problem !== undefined) throw notRecordable(what, problem.path, problem.kind);
  if (value === undefined) return { nothing: true };
  const sorted = toJson(value) ?? null;
  const text = JSON.stringify(value);
  // files have sorted keys, but models read them in the order of the value
  return JSON.stringify(sorted) === text ? { value: sorted } : { json: text };
}

/** A value that was kept on a tape. */
export function replayedValue(answer: Answer, path: string): unknown {
  if ("value" in answer) return structuredClone(answer.value);
  if (answer.nothing === true) return undefined;
  if (typeof answer.json !== "string") throw invalidTape(path, "has an answer without a value");
  try {
    return JSON.parse(answer.json);
  } catch (cause) {
    throw invalidTape(path, "has an answer whose json is not JSON", cause);
  }
}

/** Chunks of a tool as a tape keeps them. Texts that hide a secret together are kept as one. */
export function keptChunks(chunks: readonly unknown[], what: string, redact: Redact): readonly Json[] {
  const kept = chunks.map((chunk) => keptValue(chunk, what));
  if (!chunks.every((chunk) => typeof chunk === "string")) return kept;
  const whole = redact(chunks.join(""));
  return whole === chunks.map((chunk) => redact(chunk)).join("") ? kept : [{ value: whole }];
}

export function replayedChunks(chunks: Json, path: string): unknown[] {
  if (!Array.isArray(chunks)) throw invalidTape(path, "has an answer whose chunks are not a list");
  return (chunks as readonly Json[]).map((chunk) => {
    if (!isFields(chunk)) throw invalidTape(path, "has a chunk that is not an object");
    return replayedValue(chunk as Answer, path);
  });
}
