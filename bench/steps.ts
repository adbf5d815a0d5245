import type { Call, Step, WiredStep } from "./contender.js";

/** Ten functions of different code: closures of one literal would be inlined as one. */
export const asyncSteps: readonly Step[] = [
  async (x) => x + 0,
  async (x) => x + 1,
  async (x) => x + 2,
  async (x) => x + 3,
  async (x) => x + 4,
  async (x) => x + 5,
  async (x) => x + 6,
  async (x) => x + 7,
  async (x) => x + 8,
  async (x) => x + 9,
];

/** Ten that add what they get: the input counts each time. */
export const wiredSteps: readonly WiredStep[] = [
  async ({ last, first, one }) => ({ sum: last + first + one }),
  async ({ last, first, one }) => ({ sum: first + last + one }),
  async ({ last, first, one }) => ({ sum: one + last + first }),
  async ({ last, first, one }) => ({ sum: one + first + last }),
  async ({ last, first, one }) => ({ sum: last + one + first }),
  async ({ last, first, one }) => ({ sum: first + one + last }),
  async ({ one, last, first }) => ({ sum: last + (first + one) }),
  async ({ one, last, first }) => ({ sum: first + (last + one) }),
  async ({ one, last, first }) => ({ sum: one + (last + first) }),
  async ({ one, last, first }) => ({ sum: one + (first + last) }),
];

export const syncSteps: readonly Step[] = [
  (x) => x + 0,
  (x) => x + 1,
  (x) => x + 2,
  (x) => x + 3,
  (x) => x + 4,
  (x) => x + 5,
  (x) => x + 6,
  (x) => x + 7,
  (x) => x + 8,
  (x) => x + 9,
];

/** So many functions, each of which adds its own number. */
export function partsOf(count: number): Step[] {
  return Array.from(
    { length: count },
    (_, n): Step =>
      async (x) =>
        x + n,
  );
}

export const CHUNKS = 10_000;

export async function* numbers(): AsyncGenerator<number, void> {
  for (let n = 0; n < CHUNKS; n++) yield n;
}

export function callsOf(count: number): Call[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `call_${n}`,
    arguments: JSON.stringify({ city: "Shenzhen", days: n }),
  }));
}

/** 0 + 1 + … up to and without `count`. */
export const sumBelow = (count: number): number => (count * (count - 1)) / 2;
