import type { CheckpointStore, ClosableStore } from "../../checkpoint/checkpoint-store.js";
import type { ConformanceCheck } from "../conformance.js";
import { expectSame, soon } from "../conformance.js";
import { differs } from "../errors.js";
import { bytes, expectBytes, type StoreChecks, type StoreStage, stored } from "./store-stage.js";

const puts = 16;

/**
 * A handle goes away in the middle of its work, as near to a crash as a check for every store can come. Stores that cannot be
 * closed, or that are one object for all, have nothing to lose here.
 */
export const crashChecks = (check: StoreChecks): ConformanceCheck[] => [
  check("keeps every put that it acknowledged, when the handle is closed in the middle of others", async (stage) => {
    for (let acknowledged = 0; acknowledged < puts; acknowledged += 5) {
      const outcomes = await closeAmidPuts(stage, `${acknowledged}/`, acknowledged);
      for (const [id, version, data] of outcomes) {
        if (version === undefined) continue;
        const found = await stored(stage.other, id);
        expectSame(found.version, version, `The version of ${JSON.stringify(id)}, which was acknowledged`);
        expectBytes(found.data, data, `What was acknowledged for ${JSON.stringify(id)}`);
      }
    }
  }),
  check("writes all of a put or nothing, when the handle is closed in the middle", async (stage) => {
    for (let acknowledged = 0; acknowledged < puts; acknowledged += 5) {
      for (const [id, version, data, before] of await closeAmidPuts(stage, `${acknowledged}/`, acknowledged)) {
        if (version !== undefined) continue;
        const found = await stage.other.get(id);
        if (found === undefined ? before === undefined : isOneOf(found.data, [data, before])) continue;
        throw differs(
          `What is stored under ${JSON.stringify(id)}`,
          found?.data.length,
          "all of a put, or nothing of it",
        );
      }
    }
  }),
];

/** An id, the version that its put gave if it gave one, what was put, and what was there before. */
type Outcome = readonly [id: string, version: number | undefined, data: Uint8Array, before: Uint8Array | undefined];

/** Starts puts through a handle of its own, and closes it when so many of them are acknowledged. */
async function closeAmidPuts(stage: StoreStage, start: string, acknowledged: number): Promise<Outcome[]> {
  const handle = await openToClose(stage);
  if (handle === undefined) return [];
  const before = await Promise.all(
    Array.from({ length: puts }, async (_, index) => {
      const data = index % 2 === 0 ? undefined : bytes(`before ${index}`);
      return { data, version: data && (await stage.store.put(stage.id(start + index), data, undefined)) };
    }),
  );
  const versions = before.map(({ version }, index) =>
    handle.put(stage.id(start + index), checkpointBytes(index), version),
  );
  const outcomes = versions.map((version) => version.catch(() => undefined));
  await Promise.all(outcomes.slice(0, acknowledged));
  await handle.close();
  const settled = await soon(Promise.all(outcomes), "A put through a handle that was closed");
  return settled.map((version, index) => [
    stage.id(start + index),
    version,
    checkpointBytes(index),
    before[index]?.data,
  ]);
}

/** A handle that may be closed in the middle; `undefined` when it cannot, or is the one of all. */
export async function openToClose(stage: StoreStage): Promise<ClosableStore | undefined> {
  const handle = await stage.open();
  return isClosable(handle) && handle !== stage.store && handle !== stage.other ? handle : undefined;
}

function isClosable(store: CheckpointStore): store is ClosableStore {
  return "close" in store && typeof store.close === "function";
}

/** Some bytes to some thousands of them. */
export function checkpointBytes(index: number): Uint8Array {
  return new Uint8Array(10 + index * 2_000).fill(index + 1);
}

function isOneOf(data: Uint8Array, contents: readonly (Uint8Array | undefined)[]): boolean {
  return contents.some(
    (content) => content?.length === data.length && content.every((byte, index) => data[index] === byte),
  );
}
