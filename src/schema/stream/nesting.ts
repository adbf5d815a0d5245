/**
 * How many streams are being read or cancelled right now, each from inside the `next()` or `cancel()` of another. A loop in
 * a graph nests as many streams as it has taken steps, and the stack has an end. A thread has one stack, so there is one
 * count.
 */
export const nesting = { depth: 0 };

/** Low enough for small stacks, and more than an ordinary graph nests. */
const deepest = 100;

/** Whether the next call should wait in a microtask until the stack has unwound. */
export function isDeep(): boolean {
  return nesting.depth >= deepest;
}
