import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleChild, type Children } from "../../../bench/gates/children.js";
import { countRuns } from "../../../bench/gates/runs.js";

interface Counted {
  readonly bytes: number;
  readonly promises: number;
  readonly collections: number;
}

describe("counting", () => {
  let children: Children;
  beforeAll(async () => {
    children = await bundleChild(join(import.meta.dirname, "counting-child.ts"));
  });
  afterAll(() => children.close());
  const count = async (...args: readonly string[]) => (await children.run(args)) as Counted;

  it("finds nothing where nothing is made", async () => {
    const { bytes, promises, collections } = await count("nothing");
    expect(Math.abs(bytes)).toBeLessThan(2);
    expect([promises, collections]).toEqual([0, 0]);
  });

  it("finds the bytes of an array, eight per element, to the byte", async () => {
    const [ten, thirty] = [await count("arrayOfTen"), await count("arrayOfThirty")];
    expect(ten.bytes).toBeGreaterThanOrEqual(80);
    expect(Math.round(thirty.bytes) - Math.round(ten.bytes)).toBeGreaterThanOrEqual(159);
    expect(Math.round(thirty.bytes) - Math.round(ten.bytes)).toBeLessThanOrEqual(161);
  });

  it("finds the bytes of array buffers, which are not on the heap", async () => {
    const { bytes } = await count("arrayBuffer");
    expect(bytes).toBeGreaterThanOrEqual(1_000);
    expect(bytes).toBeLessThan(1_300);
  });

  it("finds the promises that a work makes, and not those of whoever awaits it", async () => {
    const promises = async (name: string) => (await count(name)).promises;
    expect(await promises("promise")).toBe(1);
    expect(await promises("threePromises")).toBe(3);
    expect(await promises("later")).toBe(1);
  });

  it("charges nothing for awaiting a promise that was there before", async () => {
    const { bytes, promises } = await count("settledPromise");
    expect(Math.abs(bytes)).toBeLessThan(2);
    expect(promises).toBe(0);
  });

  it("notices that garbage was collected", async () => {
    expect((await count("arrayOfTen", "2000000")).collections).toBeGreaterThan(0);
  });
});

describe("a workload", () => {
  it("costs the same in two processes, and one promise per run when its functions are synchronous", async () => {
    const name = "chain of 10 sync functions";
    const [first, second] = [await countRuns([name]), await countRuns([name])];
    const bytes = first.heapBytesPerRun?.[name] ?? 0;
    expect(bytes).toBeGreaterThan(0);
    expect(Math.abs((second.heapBytesPerRun?.[name] ?? 0) - bytes)).toBeLessThan(bytes / 100);
    expect(first.promisesPerRun).toEqual({ [name]: 1 });
  });
});
