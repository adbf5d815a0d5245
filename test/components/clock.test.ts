import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "../../src/components/clock.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const month = 31 * 24 * 3_600_000;

it("waits longer than a timer of the platform can", () => {
  let fired = 0;
  systemClock.setTimer(() => fired++, 2 * month);
  vi.advanceTimersByTime(2 * month - 1);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(1);
  expect(fired).toBe(1);
});

it("clears long and short timers", () => {
  const timers = [systemClock.setTimer(() => expect.fail(), month), systemClock.setTimer(() => expect.fail(), 5)];
  for (const timer of timers) systemClock.clearTimer(timer);
  expect(vi.getTimerCount()).toBe(0);
});
