import { isInterrupt, KumikoError, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { forever, gate } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { type StoreCall, watchedStore } from "./watched-store.js";

const durabilities = [["exit"], ["step"]] as const;
const boom = new Error("boom");
const unreachable = new Error("the store is unreachable");

/** A store whose calls fail when they should, and which says of every owner that it lives. */
function flakyStore(when: "before" | "after", fails: (call: StoreCall) => boolean, rows = memoryStore()) {
  const hook = (call: StoreCall) => {
    if (fails(call)) throw unreachable;
  };
  return watchedStore({ [when]: hook, isOwnerAlive: () => true }, rows);
}

describe.each(durabilities)(
  "A process takes back a claim of its own whose run has ended (durability %s)",
  (durability) => {
    it.each([["waits"], ["fails"], ["is stopped"]])("in an outage of the store, when the run %s", async (end) => {
      let down = false;
      const store = flakyStore("before", () => down);
      const stop = new AbortController();
      const on = (node: string) => {
        if (node === "first") down = true;
        if (node !== "first" || !down) return;
        if (end === "fails") throw boom;
        if (end === "is stopped") stop.abort(boom);
      };
      const app = orderChain({ on }, { store, durability });
      const error = await rejectedBy(app.invoke("a", { checkpointId: "id", signal: stop.signal }));
      expect(isInterrupt(error)).toBe(false);
      down = false;
      const again = orderChain({}, { store, durability });
      expect((await errorOf(again.invoke("b", { checkpointId: "id" }))).code).toBe("CHECKPOINT_PENDING");
      const { id } = await questionOf(again.resume("id"));
      expect(await again.resume("id", { [id]: "b" })).toBe("a>b.");
      expect(await store.ids()).toEqual([]);
    });

    it("after one lost confirmation, whichever it was", async () => {
      for (let lost = 0; ; lost++) {
        const log: string[] = [];
        let puts = 0;
        const store = flakyStore("after", ({ kind }) => kind === "put" && puts++ === lost);
        const app = orderChain({ log }, { store, durability });
        let result: string | undefined;
        let answers: Record<string, string> | undefined;
        for (let tries = 0; result === undefined; tries++) {
          expect(tries).toBeLessThan(6);
          const isThere = (await store.ids()).length > 0;
          const run = isThere ? app.resume("id", answers) : app.invoke("a", { checkpointId: "id" });
          const outcome = await run.catch((error: unknown) => error);
          if (typeof outcome === "string") result = outcome;
          else if (isInterrupt(outcome)) answers = { [outcome.interrupts[0]?.id ?? ""]: "b" };
          else if (KumikoError.is(outcome) && outcome.code === "ALREADY_ANSWERED") answers = undefined;
          else expect(outcome).toMatchObject({ code: "STORE_FAILED" });
        }
        expect(result).toBe("a>b.");
        expect(await store.ids()).toEqual([]);
        if (puts <= lost) return;
      }
    });

    it("also when the store was out while it should have taken the claim back", async () => {
      let down = false;
      const rows = memoryStore();
      const store = watchedStore(
        {
          before: ({ kind }) => {
            if (down && kind === "get") throw unreachable;
          },
          after: ({ kind }) => {
            if (kind !== "put" || down) return;
            down = true;
            throw unreachable;
          },
          isOwnerAlive: () => true,
        },
        rows,
      );
      expect((await errorOf(orderChain({}, { store, durability }).invoke("a", { checkpointId: "id" }))).code).toBe(
        "STORE_FAILED",
      );
      const app = orderChain({}, { store: flakyStore("before", () => false, rows), durability });
      const { id } = await questionOf(app.resume("id"));
      expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
    });

    it("and not one whose run goes on", async () => {
      const [store, reached] = [flakyStore("before", () => false), gate()];
      const on = () => {
        reached.open();
        return forever();
      };
      orderChain({ on }, { store, durability })
        .invoke("a", { checkpointId: "id" })
        .catch(() => undefined);
      await reached.promise;
      const app = orderChain({}, { store, durability });
      expect((await errorOf(app.resume("id"))).code).toBe("CHECKPOINT_IN_USE");
      expect((await errorOf(app.invoke("b", { checkpointId: "id" }))).code).toBe("CHECKPOINT_IN_USE");
    });

    it("of the run that has it now, although the former one still goes on", async () => {
      let down = false;
      const [store, reached] = [flakyStore("before", () => down), gate()];
      const on = () => {
        reached.open();
        return forever();
      };
      orderChain({ on }, { store, durability })
        .invoke("a", { checkpointId: "id" })
        .catch(() => undefined);
      await reached.promise;
      const falls = () => {
        down = true;
        throw boom;
      };
      await rejectedBy(orderChain({ on: falls }, { store, durability }).resume("id", undefined, { takeover: true }));
      down = false;
      expect((await questionOf(orderChain({}, { store, durability }).resume("id"))).info).toEqual({ about: "a>" });
    });

    it("after an answer whose confirmation was lost: it is not given yet, and may be given again", async () => {
      let next = Number.POSITIVE_INFINITY;
      const store = flakyStore("after", ({ kind }) => kind === "put" && store.puts === next);
      const app = orderChain({}, { store, durability });
      const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
      next = store.puts + 1;
      expect((await errorOf(app.resume("id", { [id]: "b" }))).code).toBe("STORE_FAILED");
      expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
    });
  },
);

describe("A claim that bears the name of this process", () => {
  /** A run that is claimed, with something changed in its document. */
  async function claimed(change: (text: string) => string) {
    const [store, reached] = [flakyStore("before", () => false), gate()];
    const on = () => {
      reached.open();
      return forever();
    };
    orderChain({ on }, { store })
      .invoke("a", { checkpointId: "id" })
      .catch(() => undefined);
    await reached.promise;
    const text = await store.text("id");
    expect(change(text)).not.toBe(text);
    await store.replace("id", change(text));
    return orderChain({}, { store });
  }

  it("is not free when another thread may have it", async () => {
    const app = await claimed((text) => text.replace(/"claim":"[^.]*/, '"claim":"another'));
    expect((await errorOf(app.resume("id"))).code).toBe("CHECKPOINT_IN_USE");
  });

  it("is not free when it does not name its claim", async () => {
    const app = await claimed((text) => text.replace(/"claim":"[^"]*",/, ""));
    expect((await errorOf(app.resume("id"))).code).toBe("CHECKPOINT_IN_USE");
    expect((await questionOf(app.resume("id", undefined, { takeover: true }))).info).toEqual({ about: "a>" });
  });
});
