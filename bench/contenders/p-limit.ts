import pLimit from "p-limit";
import type { Contender } from "../contender.js";

/** What most people take for "so many at a time". */
export const limited: Contender = {
  name: "p-limit",
  each: (step, count, limit) => async () => {
    const atATime = pLimit(limit);
    const results = await Promise.all(Array.from({ length: count }, (_, n) => atATime(() => step(n))));
    return results.reduce((sum, result) => sum + result, 0);
  },
};
