/** Numbers from 0 up to, and without, `sides`: the same ones for the same seed. */
export type Dice = (sides: number) => number;

export function dice(seed: number): Dice {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides);
  };
}

/** `KUMIKO_CRASH_SEED`, or another one each time. */
export function chooseSeed(): number {
  return Number(process.env.KUMIKO_CRASH_SEED ?? Math.floor(Math.random() * 1e9));
}
