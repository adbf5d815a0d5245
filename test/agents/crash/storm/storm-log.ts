import { readFileSync } from "node:fs";

/** What a process of a storm is told. */
export interface StormSettings {
  readonly store: { readonly sqlite?: string; readonly postgres?: string };
  /** The file in which everything is noted, by all processes. */
  readonly log: string;
  /** Which process it is; one that was killed goes on as another. */
  readonly life: number;
  readonly seed: number;
  /** How many operations it does, and how many at once. */
  readonly operations: number;
  readonly lanes: number;
  readonly threads: readonly string[];
}

/** A line of the log. `op` is the operation of the process in which it happened. */
export type StormLine = { readonly life: number; readonly op: number } & (
  | { readonly k: "call"; readonly what: string; readonly thread: string }
  | {
      readonly k: "end";
      readonly what: string;
      readonly ms: number;
      /** What it returned, in short. */
      readonly said?: unknown;
      readonly code?: string;
      readonly message?: string;
    }
  | { readonly k: "model"; readonly attempt: string; readonly what: string }
  | { readonly k: "answered" }
  | { readonly k: "asked"; readonly said: readonly string[] }
  | {
      /** Something was said to a turn, which has taken it. */
      readonly k: "pushed";
      readonly id: string;
    }
  | { readonly k: "tool" | "tooled"; readonly attempt: string; readonly what: string }
  | {
      /** A row of a thread is about to be written or removed; was; or was not, since others were faster. */
      readonly k: "write" | "remove" | "wrote" | "removed" | "refused";
      readonly key: string;
      /** Which prompt it has, and how far it is. */
      readonly prompt?: string | undefined;
      readonly status?: string | undefined;
      /** The name of the turn, and what was said to it while it ran. */
      readonly mark?: string | undefined;
      readonly said?: readonly string[] | undefined;
    }
  | { readonly k: "unhandled"; readonly message: string }
  | { readonly k: "mistake"; readonly message: string }
  | { readonly k: "over" }
);

/** The lines of a log; the last one of a process that was killed may be a part of one. */
export function readStorm(log: string): StormLine[] {
  return readFileSync(log, "utf8")
    .split("\n")
    .flatMap((line): StormLine[] => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}
