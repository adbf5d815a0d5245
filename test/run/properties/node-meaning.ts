import type { BranchSpec } from "./random-graph.js";

/** What flows in generated graphs: texts by key. */
export type Value = Readonly<Record<string, string>>;

/** Whether the order of keys matters to nodes and branches. */
export interface Sight {
  readonly seesOrder: boolean;
}

/** The text of a node that reads all of its input. */
export function answer(key: string, input: Value, sight: Sight): string {
  return `${key}-${digest(write(input, sight))}`;
}

/** What a node gives that works chunk by chunk: it changes keys, and letters one by one. */
export function renamed(key: string, chunk: Value): Value {
  return Object.fromEntries(Object.entries(chunk).map(([name, text]) => [`${key}.${name}`, swapCase(text)]));
}

export type Timing = "before" | "after";

/** What a state handler gives, of a value as of each of its chunks. */
export function handled(timing: Timing, chunk: Value): Value {
  const change = (text: string) => (timing === "before" ? swapCase(text) : text.toUpperCase());
  return Object.fromEntries(Object.entries(chunk).map(([name, text]) => [name, change(text)]));
}

/** What a `merge` of a node gives. */
export function merged(key: string, values: readonly Value[], sources: readonly string[], sight: Sight): Value {
  return {
    [`merged for ${key}`]: digest(`${sources.join(" ")} ${values.map((value) => write(value, sight)).join(" ")}`),
  };
}

/** What a branch chooses; a branch that does not read the whole value decides without it. */
export function choice({ reads, seed, several, targets }: BranchSpec, value: Value, sight: Sight): readonly string[] {
  const read = reads === "value" || reads === "whole stream" ? write(value, sight) : "";
  const number = Number.parseInt(digest(`${seed} ${read}`), 36);
  if (several) return targets.filter((_, n) => (number >> n) % 2 === 0);
  return [targets[number % targets.length] as string];
}

/** A text in pieces, none of them empty. */
export function cut(text: string, pieces: number): readonly string[] {
  const size = Math.ceil(text.length / pieces);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size));
}

function swapCase(text: string): string {
  return Array.from(text, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  ).join("");
}

function write(value: Value, { seesOrder }: Sight): string {
  const entries = Object.entries(value);
  return JSON.stringify(seesOrder ? entries : entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function digest(text: string): string {
  let hash = 7;
  for (let n = 0; n < text.length; n++) hash = (Math.imul(hash, 31) + text.charCodeAt(n)) >>> 0;
  return (hash ^ (hash >>> 15)).toString(36).replace("-", "");
}
