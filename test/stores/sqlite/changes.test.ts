import type { RunIndex, RunRow } from "kumiko/compose";
import { describe, expect, it } from "vitest";
import { bytes, NewFiles } from "./new-files.js";

const files = new NewFiles();
const ready: RunIndex = { status: "ready", graph: "order", since: 1 };

describe("changes of runs in an sqliteStore", () => {
  it("are told of with the row if the same store has made them", async () => {
    const store = files.store(files.next());
    const heard: (RunRow | undefined)[] = [];
    store.changes?.((row) => heard.push(row));
    const version = await store.put("a", bytes("a"), undefined, ready);
    const claimed = await store.put("a", bytes("a"), version, { ...ready, status: "running", since: 2 });
    const waiting: RunIndex = { ...ready, status: "waiting", since: 3 };
    const next = await store.append?.("a", bytes("b"), claimed, waiting);
    await store.append?.("a", bytes("b"), next ?? 0, waiting);
    expect(heard).toStrictEqual([
      { id: "a", ...ready },
      { id: "a", ...waiting },
    ]);
  });

  it("are told of without a row if another connection has made them", async () => {
    const file = files.next();
    const [store, other] = [files.store(file), files.store(file)];
    await store.put("a", bytes("a"), undefined, ready);
    const heard: (RunRow | undefined)[] = [];
    const end = store.changes?.((row) => heard.push(row));
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(heard).toEqual([]);
    await other.put("b", bytes("b"), undefined, ready);
    await expect.poll(() => heard).toEqual([undefined]);
    end?.();
    await other.put("c", bytes("c"), undefined, ready);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(heard).toEqual([undefined]);
  });

  it("are told of once the file can be opened", async () => {
    const folder = `${files.folder}/later`;
    const store = files.store(`${folder}/runs.db`);
    const heard: (RunRow | undefined)[] = [];
    store.changes?.((row) => heard.push(row));
    await expect(store.put("a", bytes("a"), undefined, ready)).rejects.toMatchObject({ code: "STORE_FAILED" });
    const { mkdirSync } = await import("node:fs");
    mkdirSync(folder);
    await store.put("a", bytes("a"), undefined, ready);
    await expect.poll(() => heard.length).toBe(1);
  });
});
