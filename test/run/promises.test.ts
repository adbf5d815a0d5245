import { createHook } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import { Chain } from "../../src/compose/chain.js";

type Step = (count: number) => number | Promise<number>;

const chainOf = (...steps: readonly Step[]) => {
  let chain = new Chain<number>();
  for (const step of steps) chain = chain.append(step);
  return chain.compile();
};

/** Counts the promises that are made until it is told to stop. */
function countPromises(): () => number {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "PROMISE") count += 1;
    },
  }).enable();
  return () => {
    hook.disable();
    return count;
  };
}

/** How many promises a call makes before it returns: all that it makes, when nothing in it is asynchronous. */
function promisesAtOnce(run: () => Promise<unknown>): number {
  const stop = countPromises();
  void run();
  return stop();
}

/** How many promises are made up to the end of a run, and a few of the measurement, always as many. */
function promisesOf(run: () => Promise<unknown>): Promise<number> {
  return new Promise((resolve) => {
    const stop = countPromises();
    void run().then(() => resolve(stop()));
  });
}

const sync: Step = (count) => count + 1;
const async: Step = async (count) => count + 1;
const ten = (step: Step): Step[] => Array.from({ length: 10 }, () => step);

/** Ten functions, awaited by hand. */
async function byHand(steps: readonly Step[]): Promise<number> {
  let count = 0;
  for (const step of steps) count = await step(count);
  return count;
}

describe("A run makes few promises", () => {
  it("a handful for ten synchronous functions", () => {
    expect(promisesAtOnce(() => chainOf(...ten(sync)).invoke(0))).toBeLessThan(10);
  });

  it("a handful for a thousand synchronous functions, loops and branches among them", () => {
    let chain = new Chain<number>();
    for (let n = 0; n < 1_000; n++) {
      if (n % 2 === 0) chain = chain.append(sync);
      else chain = chain.appendBranch((count) => (count % 2 === 0 ? "even" : "odd"), { even: sync, odd: sync });
    }
    const compiled = chain.compile();
    expect(promisesAtOnce(() => compiled.invoke(0))).toBeLessThan(10);
  });

  it("a handful when there is a signal, a time limit and a request context", () => {
    const chain = chainOf(...ten(sync));
    const options = { signal: new AbortController().signal, timeoutMs: 60_000, requestContext: { user: "u-1" } };
    expect(promisesAtOnce(() => chain.invoke(0, options))).toBeLessThan(10);
  });

  it("about as many per asynchronous function as awaiting them by hand", async () => {
    const [ten_, twenty] = [chainOf(...ten(async)), chainOf(...ten(async), ...ten(async))];
    await ten_.invoke(0);
    const perTen = (await promisesOf(() => twenty.invoke(0))) - (await promisesOf(() => ten_.invoke(0)));
    const plain =
      (await promisesOf(() => byHand([...ten(async), ...ten(async)]))) - (await promisesOf(() => byHand(ten(async))));
    expect(perTen).toBeLessThanOrEqual(2 * plain);
  });
});
