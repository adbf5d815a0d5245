import { expect, it } from "vitest";
import { manualClock } from "../../src/testing/manual-clock.js";

it("stands still until it is advanced", () => {
  const clock = manualClock(100);
  expect([clock(), clock()]).toEqual([100, 100]);
  clock.advance(5);
  expect(clock()).toBe(105);
});

it("starts at 0, and each clock goes by itself", () => {
  const [first, second] = [manualClock(), manualClock()];
  first.advance(1);
  expect([first(), second()]).toEqual([1, 0]);
});
