import { randomId } from "../../callbacks/random-id.js";
import { formatVersion } from "../document/format-version.js";
import { bytesOf } from "../values/text-bytes.js";
import type { RunIndex } from "./run-index.js";

/** A run of which nothing has run yet. */
export interface UnbegunRun {
  readonly graph: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Its input, as the codec writes it. */
  readonly given: string;
  /** Why it failed before it began, as the codec writes it: its input does not fit. */
  readonly error?: string | undefined;
}

/** The document of a run that has its input and has not begun, and what it is found by. */
export function unbegunRun({ graph, at, given, error }: UnbegunRun): {
  readonly data: Uint8Array;
  readonly index: RunIndex;
} {
  const status = error === undefined ? "ready" : "failed";
  const head = { version: formatVersion, runKey: randomId(), graph, startedAt: at, status, since: at, answered: [] };
  const why = error === undefined ? "" : `,"error":[${error}]`;
  const text = `${JSON.stringify(head).slice(0, -1)}${why},"given":[${given}],"root":null}`;
  return { data: bytesOf(text), index: { status, graph, since: at } };
}
