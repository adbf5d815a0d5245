import { Chain, findCause, isInterrupt, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { type StoreCall, watchedStore } from "./watched-store.js";

class DiskFull extends Error {
  override readonly name = "DiskFull";
}

/** A store of which some calls fail: before or after they did what they should. */
function failingStore(when: "before" | "after", fails: (call: StoreCall) => boolean, rows = memoryStore()) {
  return watchedStore(
    {
      [when]: (call: StoreCall) => {
        if (fails(call)) throw new DiskFull("no space left");
      },
    },
    rows,
  );
}

/** The error says what the store said. */
async function expectStoreError(run: Promise<unknown>): Promise<void> {
  const error = await errorOf(run);
  expect(isInterrupt(error)).toBe(false);
  expect(findCause(error, DiskFull)?.message).toBe("no space left");
  expect(error.message).toContain("no space left");
  expect(error.code).toBe("STORE_FAILED");
}

const durabilities = [["exit"], ["step"]] as const;

describe.each(durabilities)("A store that fails (durability %s)", (durability) => {
  it.each([["get"], ["put"]] as const)("at the first %s stops the run before anything runs", async (kind) => {
    const log: string[] = [];
    let down = true;
    const store = failingStore("before", (call) => down && call.kind === kind);
    const app = orderChain({ log }, { store, durability });
    // whether a new run reads before it claims is the library's affair
    if (kind === "put") await expectStoreError(app.invoke("a", { checkpointId: "id" }));
    if (kind === "get") await expectStoreError(app.resume("id"));
    expect(log).toEqual([]);
    down = false;
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
  });

  it("when an interrupt is to be saved gives its error, not an interrupt that nobody could answer", async () => {
    let down = false;
    const store = failingStore("before", ({ kind }) => down && kind === "put");
    const on = (node: string) => {
      if (node === "first") down = true;
    };
    await expectStoreError(orderChain({ on }, { store, durability }).invoke("a", { checkpointId: "id" }));
  });

  it("when a resume claims its checkpoint loses neither the checkpoint nor the question", async () => {
    const log: string[] = [];
    let down = false;
    const store = failingStore("before", ({ kind }) => down && kind === "put");
    const app = orderChain({ log }, { store, durability });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    log.length = 0;
    down = true;
    await expectStoreError(app.resume("id", { [id]: "b" }));
    expect(log).toEqual([]);
    down = false;
    expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
  });

  it("when a resume reads its checkpoint loses nothing", async () => {
    let down = false;
    const store = failingStore("before", ({ kind }) => down && kind === "get");
    const app = orderChain({}, { store, durability });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    down = true;
    await expectStoreError(app.resume("id", { [id]: "b" }));
    down = false;
    expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
  });

  it("in a stream fails the read", async () => {
    const store = failingStore("before", ({ kind }) => kind === "put");
    const app = orderChain({}, { store, durability });
    await expectStoreError(app.stream("a", { checkpointId: "id" }).concat());
  });

  it("that throws instead of rejecting is a store that fails", async () => {
    const store = {
      ...memoryStore(),
      get: () => {
        throw new DiskFull("no space left");
      },
      put: () => {
        throw new DiskFull("no space left");
      },
      delete: async () => undefined,
      list: memoryStore().list,
    };
    await expectStoreError(orderChain({}, { store, durability }).invoke("a", { checkpointId: "id" }));
  });
});

describe('A store that fails between two nodes (durability "step")', () => {
  const all = ["a", "b", "c"];

  /** a → b → c, and a store that fails once: at the first put after so many of them. */
  async function failAfter(nodes: number, when: "before" | "after") {
    const rows = memoryStore();
    const log: string[] = [];
    let failures = 0;
    const store = failingStore(when, ({ kind }) => kind === "put" && log.length === nodes && failures++ === 0, rows);
    const chain = (own: ReturnType<typeof watchedStore>) => {
      let builder = new Chain<string>();
      for (const key of all) {
        builder = builder.append((text) => {
          log.push(key);
          return text + key;
        });
      }
      return builder.compile({ store: own, durability: "step" });
    };
    return { run: chain(store).invoke("", { checkpointId: "id" }), log, again: chain(watchedStore({}, rows)) };
  }

  it.each([
    [1, "before"],
    [1, "after"],
    [2, "before"],
    [2, "after"],
  ] as const)("after node %i (%s it wrote) stops the run there; a resume goes on", async (nodes, when) => {
    const { run, log, again } = await failAfter(nodes, when);
    await expectStoreError(run);
    expect(log).toEqual(all.slice(0, nodes));
    expect(await again.resume("id", undefined, { takeover: true })).toBe("abc");
    const repeated = log.filter((key, index) => log.indexOf(key) !== index);
    expect(repeated.filter((key) => key !== all[nodes - 1])).toEqual([]);
    expect(new Set(log)).toEqual(new Set(all));
  });
});

describe("A store that cannot remove a checkpoint", () => {
  it("does not make a finished run run again", async () => {
    const log: string[] = [];
    let down = false;
    const store = failingStore("before", ({ kind }) => down && kind === "delete");
    const app = orderChain({ log }, { store, durability: "step" });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    down = true;
    const outcome = await app.resume("id", { [id]: "b" }).catch((error: unknown) => error);
    if (outcome !== "a>b.") expect(findCause(outcome, DiskFull)).toBeInstanceOf(DiskFull);
    down = false;
    const runs = log.filter((entry) => entry === "first" || entry === "question");
    await rejectedBy(app.resume("id", { [id]: "b" }, { takeover: true }));
    expect(log.filter((entry) => entry === "first" || entry === "question")).toEqual(runs);
  });
});
