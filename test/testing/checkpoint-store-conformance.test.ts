import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/checkpoint/memory-store.js";
import { checkpointStoreConformance } from "../../src/testing/checkpoint-store-conformance.js";
import { brokenStores } from "./broken-stores.js";

describe("checkpointStoreConformance", () => {
  it("has checks of different names", () => {
    const names = checkpointStoreConformance(() => memoryStore()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(brokenStores).sort()).toEqual([...names].sort());
  });

  it("takes stores that have to be opened", async () => {
    const store = memoryStore();
    for (const { run } of checkpointStoreConformance(async () => store)) await run();
  });

  it.each(Object.entries(brokenStores))("%s: fails for a store that breaks it", async (name, open) => {
    const check = checkpointStoreConformance(open).find((candidate) => candidate.name === name);
    await expect(check?.run()).rejects.toBeInstanceOf(Error);
  });
});
