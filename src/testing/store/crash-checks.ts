import type { CheckpointStore, ClosableStore } from "../../checkpoint/checkpoint-store.js";
import { type ConformanceCheck, expectSame, soon } from "../conformance.js";
import { differs } from "../errors.js";
import { bytes, expectBytes, type StoreChecks, type StoreStage, stored } from "./store-stage.js";

const puts = 16;

/**
 * Checks that close a handle during writes, which is as close to a crash as checks for any store can get. Stores that cannot be
 * closed, or that share one object for all handles, pass them.
 */
export const crashChecks = (check: StoreChecks): ConformanceCheck[] => [
  check("keeps every acknowledged put when the handle is closed during others", async (stage) => {
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
  check("writes a put entirely or not at all when the handle is closed during it", async (stage) => {
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

/** An id, the version of its put if it was acknowledged, the data that was put, and the data before. */
type Outcome = readonly [id: string, version: number | undefined, data: Uint8Array, before: Uint8Array | undefined];

/** Starts puts through a new handle, and closes it when `acknowledged` of them have succeeded. */
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

/** Opens a handle that can be closed during writes; `undefined` if the store cannot be closed or shares one object. */
export async function openToClose(stage: StoreStage): Promise<ClosableStore | undefined> {
  const handle = await stage.open();
  return isClosable(handle) && handle !== stage.store && handle !== stage.other ? handle : undefined;
}

function isClosable(store: CheckpointStore): store is ClosableStore {
  return "close" in store && typeof store.close === "function";
}

/** Data of different lengths, from a few bytes to some tens of thousands. */
export function checkpointBytes(index: number): Uint8Array {
  return new Uint8Array(10 + index * 2_000).fill(index + 1);
}

function isOneOf(data: Uint8Array, contents: readonly (Uint8Array | undefined)[]): boolean {
  return contents.some(
    (content) => content?.length === data.length && content.every((byte, index) => data[index] === byte),
  );
}
