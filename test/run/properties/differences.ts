import { inspect, isDeepStrictEqual } from "node:util";
import type { Outcome } from "../every-way.js";
import type { Expected } from "./chunk-kinds.js";

/** Runs that do not give what they should, as sentences; what is the same for several stands together. */
export class Differences {
  readonly #found = new Map<string, string[]>();

  /** Compares what the runs of a case give with what they should. */
  note(name: string, runs: readonly Compared[]): void {
    const wrong = new Map<string, string[]>();
    for (const { run, outcome, expected } of runs) {
      if (!isDeepStrictEqual(outcome, expected)) add(wrong, `${show(outcome)}, not ${show(expected)}`, run);
    }
    for (const [sentence, own] of wrong) {
      add(this.#found, `${sentence}: ${own.length === runs.length ? "every run" : own.join(", ")}`, name);
    }
  }

  get sentences(): string[] {
    return [...this.#found].map(([sentence, names]) => `${sentence} - ${names.join("; ")}`);
  }
}

export interface Compared {
  readonly run: string;
  readonly outcome: Outcome;
  readonly expected: Expected;
}

function add(groups: Map<string, string[]>, key: string, item: string): void {
  groups.set(key, [...(groups.get(key) ?? []), item]);
}

function show(outcome: Outcome | Expected): string {
  if ("value" in outcome) return inspect(outcome.value, { breakLength: Number.POSITIVE_INFINITY });
  return `${String(outcome.code)} at ${outcome.nodePath.join("/") || "no node"}`;
}
