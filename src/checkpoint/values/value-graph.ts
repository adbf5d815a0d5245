import { stringify, unflatten } from "devalue";
import { isGraph } from "./graph-check.js";
import { type Tag, Tagged } from "./tagged.js";

/** What {@link readGraph} makes of what devalue does not know, and how it fills what it has made. */
export interface GraphReader {
  readonly revivers: Readonly<Record<Tag, (parts: unknown) => unknown>>;
  set(target: Record<string | number, unknown>, key: string | number, value: unknown): void;
  addValue(set: Set<unknown>, value: unknown): void;
  addEntry(map: Map<unknown, unknown>, key: unknown, value: unknown): void;
}

/** JSON text of values with sharing and cycles. Takes what ValueSnapshot makes. */
export function writeGraph(copy: unknown): string {
  return stringify(copy, { Class: partsOf("Class"), Error: partsOf("Error"), Record: partsOf("Record") });
}

const partsOf = (tag: Tag) => (value: unknown) =>
  value instanceof Tagged && value.tag === tag ? value.parts : undefined;

/** From what JSON.parse made of such a text. Throws something when it is no such text. */
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
