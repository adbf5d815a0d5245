import type { CheckpointStore, StoredCheckpoint } from "../../checkpoint/checkpoint-store.js";
import { KumikoError } from "../../errors.js";
import type { ConformanceCheck } from "../conformance.js";
import { checkFailed, differs } from "../errors.js";

/** Opens a store. Each call returns a handle on the same rows. */
export type OpenStore = () => CheckpointStore | Promise<CheckpointStore>;

/** Creates a check, which gets two handles on the same rows. */
export type StoreChecks = (name: string, run: (stage: StoreStage) => Promise<void>) => ConformanceCheck;

/** Two handles on the same rows, and ids that no other check uses. */
export interface StoreStage {
  readonly store: CheckpointStore;
  /** A second handle on the same rows. */
  readonly other: CheckpointStore;
  /** Opens one more handle on the same rows. */
  open(): Promise<CheckpointStore>;
  /** The prefix of all ids of this check. */
  readonly prefix: string;
  /** Adds the prefix to a name. */
  id(name?: string): string;
  /** Lists the ids of this check that start with `start`, without the prefix. */
  listed(start?: string, store?: CheckpointStore): Promise<string[]>;
}

export async function openStage(open: OpenStore): Promise<StoreStage> {
  const [store, other] = [await open(), await open()];
  const prefix = `conformance-${crypto.randomUUID()}/`;
  return {
    store,
    other,
    open: async () => open(),
    prefix,
    id: (name = "id") => prefix + name,
    listed: async (start = "", from = store) => {
      const names: string[] = [];
      for await (const id of from.list(prefix + start)) names.push(id.slice(prefix.length));
      return names;
    },
  };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Reads an existing checkpoint. Throws if nothing is stored. */
export async function stored(store: CheckpointStore, id: string): Promise<StoredCheckpoint> {
  const found = await store.get(id);
  if (found === undefined) throw checkFailed(`Nothing is stored under ${JSON.stringify(id)}.`);
  return found;
}

export async function expectText(store: CheckpointStore, id: string, text: string): Promise<void> {
  const { data } = await stored(store, id);
  expectBytes(data, bytes(text), `What is stored under ${JSON.stringify(id)}`);
}

export function expectBytes(actual: unknown, expected: Uint8Array, what: string): void {
  if (!(actual instanceof Uint8Array)) throw differs(what, actual, "a Uint8Array");
  if (actual.length !== expected.length) throw differs(`${what}: length`, actual.length, expected.length);
  const index = expected.findIndex((byte, at) => actual[at] !== byte);
  if (index >= 0) throw differs(`${what}: byte ${index}`, actual[index], expected[index]);
}

/** Expects that a call rejects with `CHECKPOINT_CONFLICT`. */
export async function expectConflict(call: Promise<unknown>, what: string): Promise<void> {
  const outcome = await call.then((value) => ({ value }), asConflict);
  if (outcome !== "conflict") throw differs(what, outcome, "a rejection with CHECKPOINT_CONFLICT");
}

/** Whether a write succeeded. Rethrows any error other than a conflict. */
export async function wins(call: Promise<unknown>): Promise<boolean> {
  const outcome = await call.then(() => "won", asConflict);
  return outcome === "won";
}

function asConflict(error: unknown): "conflict" {
  if (KumikoError.is(error) && error.code === "CHECKPOINT_CONFLICT") return "conflict";
  throw error;
}
