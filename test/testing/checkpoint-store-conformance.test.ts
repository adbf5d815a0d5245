import { type CheckpointStore, memoryStore } from "kumiko";
import { checkpointStoreConformance } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { brokenAppendStores } from "./broken-append-stores.js";
import { brokenRunStores } from "./broken-run-stores.js";
import { appendTo, brokenStores } from "./broken-stores.js";

const allBroken = { ...brokenStores, ...brokenAppendStores, ...brokenRunStores };

describe("checkpointStoreConformance", () => {
  it("has checks of different names", () => {
    const names = checkpointStoreConformance(() => memoryStore()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(allBroken).sort()).toEqual([...names].sort());
  });

  it("takes stores that have to be opened", async () => {
    const store = memoryStore();
    for (const { run } of checkpointStoreConformance(async () => store)) await run();
  });

  it("holds for a store that does not append", async () => {
    const right = memoryStore();
    const store: CheckpointStore = {
      get: (id) => right.get(id),
      put: (id, data, ifVersion) => right.put(id, data, ifVersion),
      delete: (id, ifVersion) => right.delete(id, ifVersion),
      list: (prefix) => right.list(prefix),
    };
    for (const { run } of checkpointStoreConformance(() => store)) await run();
  });

  it("holds for a store that always gives a list of entries", async () => {
    const right = memoryStore();
    const store: CheckpointStore = {
      get: async (id) => {
        const found = await right.get(id);
        return found && { ...found, appended: found.appended ?? [] };
      },
      put: (id, data, ifVersion) => right.put(id, data, ifVersion),
      append: (id, data, ifVersion) => appendTo(right, id, data, ifVersion),
      delete: (id, ifVersion) => right.delete(id, ifVersion),
      list: (prefix) => right.list(prefix),
    };
    for (const { run } of checkpointStoreConformance(() => store)) await run();
  });

  it.each(Object.entries(allBroken))("%s: fails for a store that breaks it", async (name, open) => {
    const check = checkpointStoreConformance(open).find((candidate) => candidate.name === name);
    await expect(check?.run()).rejects.toBeInstanceOf(Error);
  });
});
