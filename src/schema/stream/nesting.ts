/**
 * How many streams are being read or cancelled right now, each inside the `next()` or `cancel()` of another. A loop in a graph nests
 * one stream per step, which could overflow the stack. A thread has one stack, so there is one counter.
 */
export const nesting = { depth: 0 };

/** Low enough for small stacks, and more than an ordinary graph nests. */
const deepest = 100;

/** Whether the next call should wait in a microtask until the stack has unwound. */
export function isDeep(): boolean {
  return nesting.depth >= deepest;
}
