import { stringify, unflatten } from "devalue";
import { isGraph } from "./graph-check.js";
import { type Tag, Tagged } from "./tagged.js";

/** How {@link readGraph} makes values that devalue does not support by itself, and how it fills containers. */
export interface GraphReader {
  readonly revivers: Readonly<Record<Tag, (parts: unknown) => unknown>>;
  set(target: Record<string | number, unknown>, key: string | number, value: unknown): void;
  addValue(set: Set<unknown>, value: unknown): void;
  addEntry(map: Map<unknown, unknown>, key: unknown, value: unknown): void;
}

/** Writes the copy that `ValueEncoder` makes as JSON text. Sharing and cycles are kept. */
export function writeGraph(copy: unknown): string {
  return stringify(copy, { Class: partsOf("Class"), Error: partsOf("Error"), Record: partsOf("Record") });
}

const partsOf = (tag: Tag) => (value: unknown) =>
  value instanceof Tagged && value.tag === tag ? value.parts : undefined;

/** Reads the parsed JSON of such a text. Throws an arbitrary error when it is anything else. */
export function readGraph(flat: unknown, reader: GraphReader): unknown {
  if (!isGraph(flat)) throw new TypeError("This is not a list of values that refer to each other.");
  return unflatten(flat, reader.revivers, {
    operations: {
      set: (target, key, value) => reader.set(target, key, value),
      addValue: (set, value) => reader.addValue(set, value),
      addEntry: (map, key, value) => reader.addEntry(map, key, value),
    },
  });
}
