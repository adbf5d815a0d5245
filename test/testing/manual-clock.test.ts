import { Graph, Runtime } from "kumiko";
import { manualClock } from "kumiko/testing";
import { expect, it } from "vitest";

it("stands still until it is advanced", () => {
  const clock = manualClock(100);
  expect([clock(), clock()]).toEqual([100, 100]);
  clock.advance(5);
  expect(clock()).toBe(105);
});

it("calls the timers whose time has come, in their order and at their time", () => {
  const clock = manualClock(100);
  const seen: string[] = [];
  clock.setTimer(() => seen.push(`late ${clock()}`), 30);
  clock.setTimer(() => {
    seen.push(`early ${clock()}`);
    clock.setTimer(() => seen.push(`inner ${clock()}`), 5);
  }, 10);
  const left = clock.setTimer(() => seen.push("cleared"), 20);
  clock.clearTimer(left);
  expect(clock.nextTimer).toBe(110);
  clock.advance(20);
  expect(seen).toEqual(["early 110", "inner 115"]);
  clock.advance(100);
  expect(seen).toEqual(["early 110", "inner 115", "late 130"]);
  expect([clock(), clock.nextTimer]).toEqual([220, undefined]);
});

it("is the clock of a Runtime: a run is stopped when its time is up there", async () => {
  const clock = manualClock();
  const app = new Graph<string, string>()
    .addNode(
      "slow",
      (_text: string, ctx) =>
        new Promise<string>((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason))),
    )
    .addEdge("start", "slow")
    .addEdge("slow", "end")
    .compile({ runtime: new Runtime({ clock }) });
  const run = app.invoke("a", { timeoutMs: 60_000 });
  clock.advance(60_000);
  await expect(run).rejects.toMatchObject({ name: "TimeoutError" });
  expect(clock.nextTimer).toBeUndefined();
});

it("starts at 0, and each clock goes by itself", () => {
  const [first, second] = [manualClock(), manualClock()];
  first.advance(1);
  expect([first(), second()]).toEqual([1, 0]);
});
