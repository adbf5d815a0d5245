import { memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";

const data = new TextEncoder().encode("{}");

describe("the runs of memoryStore", () => {
  it("are listed as they were put, by since and then by id", async () => {
    const store = memoryStore();
    await store.put("b", data, undefined, { status: "waiting", graph: "order", since: 2, due: 9, owner: undefined });
    await store.put("c", data, undefined, { status: "ready", graph: "order", since: 1 });
    await store.put("a", data, undefined, { status: "ready", graph: "order", since: 2 });
    await store.put("no run", data, undefined);
    expect(await store.runs?.({})).toStrictEqual([
      { id: "c", status: "ready", graph: "order", since: 1 },
      { id: "a", status: "ready", graph: "order", since: 2 },
      { id: "b", status: "waiting", graph: "order", since: 2, due: 9 },
    ]);
  });

  it("are told of after a change to a status other than running", async () => {
    const store = memoryStore();
    const heard: unknown[] = [];
    store.changes?.((row) => heard.push(row?.status));
    const version = await store.put("a", data, undefined, { status: "ready", graph: "order", since: 1 });
    const claimed = await store.put("a", data, version, { status: "running", graph: "order", since: 2 });
    const asked = { status: "waiting", graph: "order", since: 3 } as const;
    const next = await store.append?.("a", data, claimed, asked);
    await store.append?.("a", data, next ?? 0, asked);
    expect(heard).toEqual(["ready", "waiting"]);
  });

  it("cannot be searched or listened to once the store is closed", async () => {
    const store = memoryStore();
    await store.close();
    await expect(store.runs?.({})).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(() => store.changes?.(() => undefined)).toThrow(expect.objectContaining({ code: "STORE_FAILED" }));
  });
});
