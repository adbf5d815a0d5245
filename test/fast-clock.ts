import type { Clock } from "kumiko";

/** A clock whose timers fire fifty times too early. */
export const fastClock: Clock = {
  now: () => Date.now(),
  setTimer: (callback, delayMs) => setTimeout(callback, delayMs / 50),
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
