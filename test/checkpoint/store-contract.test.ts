import { type CheckpointStore, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";

/** A store of somebody's own, with some methods of another kind. */
function storeWith(change: (right: CheckpointStore) => object): CheckpointStore {
  const right = memoryStore();
  const rows: CheckpointStore = {
    get: (id) => right.get(id),
    put: (id, data, ifVersion) => right.put(id, data, ifVersion),
    delete: (id, ifVersion) => right.delete(id, ifVersion),
    list: (prefix) => right.list(prefix),
  };
  return Object.assign(rows, change(right));
}

describe("A store whose get gives null where nothing is", () => {
  const store = () => storeWith((right) => ({ get: async (id: string) => (await right.get(id)) ?? null }));

  it("has nothing there: UNKNOWN_CHECKPOINT", async () => {
    expect((await errorOf(orderChain({}, { store: store() }).resume("id"))).code).toBe("UNKNOWN_CHECKPOINT");
  });

  it("is good for new runs, also for those that must look first", async () => {
    const app = orderChain({}, { store: store() });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id", forceNewRun: true }));
    expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
  });
});

describe("A store whose put gives no version", () => {
  it.each([
    ["nothing", undefined, "undefined"],
    ["NaN", Number.NaN, "NaN"],
    ["a text", "7", "a string"],
    ["null", null, "null"],
    ["a fraction", 1.5, "1.5"],
  ])("but %s is told apart by its contract, and nothing runs", async (_what, given, named) => {
    const log: string[] = [];
    const store = storeWith((right) => ({
      put: async (id: string, data: Uint8Array, ifVersion: number | undefined) => {
        await right.put(id, data, ifVersion);
        return given;
      },
    }));
    const error = await errorOf(orderChain({ log }, { store }).invoke("a", { checkpointId: "id" }));
    expect(error.code).toBe("STORE_FAILED");
    expect(error.message).toContain(named);
    expect(error.message).toContain('"id"');
    expect(error.message).toContain("Let put resolve to the new version");
    expect(error.message).toContain("checkpointStoreConformance");
    expect(log).toEqual([]);
  });

  it("after a while stops the run there", async () => {
    const log: string[] = [];
    const store = storeWith((right) => ({
      put: async (id: string, data: Uint8Array, ifVersion: number | undefined) => {
        const version = await right.put(id, data, ifVersion);
        return log.length === 0 ? version : undefined;
      },
    }));
    const error = await errorOf(orderChain({ log }, { store, durability: "step" }).invoke("a", { checkpointId: "id" }));
    expect(error.code).toBe("STORE_FAILED");
    expect(log).toEqual(["first"]);
  });
});
