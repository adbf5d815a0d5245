import { type CheckpointStore, type CompiledGraph, END, Graph, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";

/** Counts to 60, and is saved after each step. */
function counter(store: CheckpointStore): CompiledGraph<number, number> {
  return new Graph<number, number>()
    .addNode("count", (n: number) => n + 1)
    .addEdge(START, "count")
    .addBranch("count", ["count", END], (n) => (n < 60 ? "count" : END))
    .compile({ store, durability: "step", history: true, maxSteps: 1_000 });
}

const numbersOf = async (app: CompiledGraph<number, number>): Promise<number[]> => {
  const numbers: number[] = [];
  for await (const { id } of app.history("run")) numbers.push(Number(id));
  return numbers;
};

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Waits before a segment is closed, until it is told to go on. */
function heldBack(rows: CheckpointStore) {
  const reached = gate();
  const goOn = gate();
  const wait = (): Promise<void> => {
    reached.open();
    return goOn.opened;
  };
  const store: CheckpointStore = {
    get: (id) => wait().then(() => rows.get(id)),
    put: (id, data, version) =>
      (id.startsWith("~") ? wait() : Promise.resolve()).then(() => rows.put(id, data, version)),
    append: (id, data, version) => rows.append?.(id, data, version) ?? Promise.reject(new Error("no append")),
    delete: (id, version) => rows.delete(id, version),
    list: (prefix) => rows.list(prefix),
  };
  return { store, reached: reached.opened, goOn: goOn.open };
}

describe("The history of a run that was taken over", () => {
  it("is not overwritten by the process that has lost the run", async () => {
    const rows = memoryStore();
    const { store, reached, goOn } = heldBack(rows);
    const lost = errorOf(counter(store).invoke(0, { checkpointId: "run" }));
    await reached;
    const heir = counter(rows);
    expect(await heir.resume("run", undefined, { takeover: true })).toBe(60);
    const before = await numbersOf(heir);
    goOn();
    expect(await lost).toMatchObject({ code: "CHECKPOINT_LOST" });
    expect(await numbersOf(heir)).toEqual(before);
    expect(before).toEqual(before.map((_, index) => before.length - index));
  });

  it("is that of the new run, when one was started under the same id", async () => {
    const rows = memoryStore();
    const { store, reached, goOn } = heldBack(rows);
    const lost = errorOf(counter(store).invoke(-7, { checkpointId: "run" }));
    await reached;
    const heir = counter(rows);
    expect(await heir.invoke(0, { checkpointId: "run", forceNewRun: true, takeover: true })).toBe(60);
    goOn();
    expect(await lost).toMatchObject({ code: "CHECKPOINT_LOST" });
    expect((await numbersOf(heir)).length).toBe(62);
    expect((await heir.stateAt("run", "3")).output("count")).toBe(2);
  });
});

describe("The history of a run whose store fails now and then", () => {
  it("has every save, whether a segment was closed from memory or from the store", async () => {
    const rows = memoryStore();
    let calls = 0;
    const store: CheckpointStore = {
      get: (id) => rows.get(id),
      put: (id, data, version) => rows.put(id, data, version),
      append: async (id, data, version) => {
        if (++calls % 13 === 0) throw new Error("The store is busy.");
        return (await rows.append?.(id, data, version)) ?? 0;
      },
      delete: (id, version) => rows.delete(id, version),
      list: (prefix) => rows.list(prefix),
    };
    const app = counter(store);
    let run: Promise<number> = app.invoke(0, { checkpointId: "run" });
    let failures = 0;
    while ((await run.catch(() => undefined)) === undefined) {
      failures++;
      run = app.resume("run");
    }
    expect(failures).toBeGreaterThan(2);
    const numbers = await numbersOf(app);
    expect(numbers).toEqual(numbers.map((_, index) => numbers.length - index));
    expect((await app.stateAt("run", "1")).input).toBe(0);
    const ran: string[] = [];
    for await (const entry of app.history("run")) ran.push(...entry.ran);
    expect(ran).toEqual(Array.from({ length: 60 }, () => "count"));
  });
});
