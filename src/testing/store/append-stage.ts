import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { expectSame } from "../conformance.js";
import { stored } from "./store-stage.js";

/** The `append` of a store. */
export type Append = (id: string, data: Uint8Array, ifVersion: number) => Promise<number>;

/** The `append` of a store, bound to it; `undefined` if it has none. */
export function appendOf(store: CheckpointStore): Append | undefined {
  return store.append?.bind(store);
}

/** The entries of an existing id, as text. */
export async function entriesOf(store: CheckpointStore, id: string): Promise<string[]> {
  const { appended = [] } = await stored(store, id);
  return appended.map((entry) => new TextDecoder().decode(entry));
}

export async function expectEntries(store: CheckpointStore, id: string, texts: readonly string[]): Promise<void> {
  const found = await entriesOf(store, id);
  const what = `The entries under ${JSON.stringify(id)}`;
  const at = texts.findIndex((text, index) => found[index] !== text);
  if (at >= 0) expectSame(found[at], texts[at], `${what}: entry ${at}`);
  expectSame(found.length, texts.length, `${what}: how many there are`);
}

/** Returns `count` different texts. */
export const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `entry ${index}`);

/** Incompressible bytes, determined by a seed. */
export function noise(length: number, seed: number): Uint8Array {
  const data = new Uint8Array(length);
  let state = seed;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    data[index] = state >>> 24;
  }
  return data;
}
