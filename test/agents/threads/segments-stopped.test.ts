import { memoryStore, RunControl } from "kumiko";
import type { CheckpointStore } from "kumiko/compose";
import { expect, it } from "vitest";
import { payingClerk } from "./clerk.js";

/** Tells before and after each call of a store. */
function tickingStore(tick: () => void): CheckpointStore {
  const rows = memoryStore();
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    tick();
    const value = await work();
    tick();
    return value;
  };
  return {
    get: (id) => around(() => rows.get(id)),
    put: (...args) => around(() => rows.put(...args)),
    append: (...args) => around(() => rows.append?.(...args) as Promise<number>),
    delete: (...args) => around(() => rows.delete(...args)),
    list: (prefix) => rows.list(prefix),
  };
}

it.each([
  ["by its id", "run-7"],
  ["that a request has named", { threadId: "t", requestId: "r1" }],
])("A segment of an agent's run %s is ready or finished, whenever it is asked to stop", async (_, target) => {
  for (let nth = 0, isOver = false; !isOver; nth++) {
    const control = new RunControl();
    let count = 0;
    const store = tickingStore(() => {
      if (count++ === nth) control.interrupt();
    });
    const { clerk, paid, model } = payingClerk(store);
    const first = await clerk.segment(target, { input: "Pay", control });
    isOver = count < nth;
    expect([nth, first.status]).toEqual([nth, first.status === "ready" && !isOver ? "ready" : "finished"]);
    expect(await clerk.segment(target, { input: "Pay" })).toMatchObject({ status: "finished" });
    expect([nth, paid.length, model.calls.length]).toEqual([nth, 1, 2]);
  }
});
