import { Chain, each, memoryStore, Runtime, sleep } from "kumiko";
import { manualClock } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { plain, thrownBy } from "./thrown-by.js";

const day = 86_400_000;

/** Whether a promise has settled once everything had its turn. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(
    () => {
      done = true;
    },
    () => {
      done = true;
    },
  );
  await turns();
  return done;
}

describe("sleep", () => {
  it.each([
    ["milliseconds", 1_000, 1_000],
    ["a date", new Date(5_000), 5_000],
    ["a time beyond what a timer can wait", 60 * day, 60 * day],
    ["a function of the input", (text: string) => text.length * 100, 300],
    ["a function that gives a date later", async () => new Date(700), 700],
  ])("waits %s, and gives its input back", async (_what, time, milliseconds) => {
    const clock = manualClock();
    const app = new Chain<string>().append(sleep<string>(time)).compile({ runtime: new Runtime({ clock }) });
    const run = app.invoke("abc");
    await turns();
    clock.advance(milliseconds - 1);
    expect(await isDone(run)).toBe(false);
    clock.advance(1);
    expect(await run).toBe("abc");
  });

  it.each([[0], [-5], [new Date(0)]])("does not wait for %s", async (time) => {
    expect(await new Chain<string>().append(sleep(time)).compile().stream("a").concat()).toBe("a");
  });

  it("can wait longer than a timer of the machine can", async () => {
    const stop = new AbortController();
    const run = new Chain<string>()
      .append(sleep(40 * day))
      .compile()
      .invoke("a", { signal: stop.signal });
    expect(await isDone(run)).toBe(false);
    stop.abort(new Error("enough"));
    await rejectedBy(run);
  });

  it("ends at once when the run is stopped, and leaves no timer", async () => {
    const clock = manualClock();
    const stop = new AbortController();
    const app = new Chain<string>().append(sleep(1_000)).compile({ runtime: new Runtime({ clock }) });
    const run = app.invoke("a", { signal: stop.signal });
    await turns();
    expect(clock.nextTimer).toBe(1_000);
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await rejectedBy(run)).toBe(reason);
    await turns();
    expect(clock.nextTimer).toBeUndefined();
  });

  it.each(["exit", "step"] as const)("waits the rest when a run goes on (%s)", async (durability) => {
    const clock = manualClock();
    const store = memoryStore();
    const stop = new AbortController();
    const app = new Chain<string>()
      .append(sleep(1_000), { key: "wait" })
      .compile({ store, durability, runtime: new Runtime({ clock }) });
    const run = app.invoke("a", { checkpointId: "r", signal: stop.signal });
    while (clock.nextTimer === undefined) await turns();
    clock.advance(400);
    stop.abort(new Error("killed"));
    await rejectedBy(run);
    clock.advance(100);
    const resumed = app.resume("r");
    while (clock.nextTimer === undefined) await turns();
    clock.advance(499);
    expect(await isDone(resumed)).toBe(false);
    clock.advance(1);
    expect(await resumed).toBe("a");
  });

  it("of each item ends by itself", async () => {
    const clock = manualClock();
    const app = new Chain<number[]>()
      .append(each(sleep<number>((n) => n)))
      .compile({ runtime: new Runtime({ clock }) });
    const run = app.invoke([300, 100, 200]);
    await turns();
    clock.advance(300);
    expect(await run).toEqual([300, 100, 200]);
  });

  it.each([[Number.NaN], ["1s"], [new Date(Number.NaN)], [undefined]])("refuses %s as a time", async (time) => {
    if (time !== undefined) expect(thrownBy(() => sleep(plain(time)))).toMatchObject({ code: "INVALID_OPTION" });
    const app = new Chain<string>()
      .append(
        sleep<string>(() => plain(time)),
        { key: "wait" },
      )
      .compile();
    expect(await errorOf(app.invoke("a"))).toMatchObject({ code: "INVALID_OPTION", nodePath: ["wait"] });
  });
});
