import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleChild } from "../../../bench/gates/children.js";
import { growthOf } from "../../../bench/memory/growth.js";
import { QUICK } from "../../../bench/memory/measure.js";

const kB = 1_000;

describe("memory", () => {
  it("grows when every part of a measurement leaves something behind", () => {
    const growth = growthOf([500 * kB, 600 * kB, 700 * kB, 800 * kB], 1_000, 50 * kB);
    expect(growth).toEqual({ perRun: 100, grows: true });
  });

  it("does not grow when something is kept once", () => {
    expect(growthOf([500 * kB, 900 * kB, 900 * kB, 890 * kB], 1_000, 50 * kB).grows).toBe(false);
  });

  it("does not grow by less than the noise", () => {
    expect(growthOf([500 * kB, 510 * kB, 520 * kB, 530 * kB], 1_000, 50 * kB).grows).toBe(false);
  });

  it("may shrink", () => {
    expect(growthOf([800 * kB, 700 * kB, 600 * kB, 500 * kB], 1_000, 50 * kB)).toEqual({ perRun: -100, grows: false });
  });

  it("grows although something else was given back once", () => {
    expect(growthOf([500 * kB, 600 * kB, 300 * kB, 400 * kB], 1_000, 50 * kB)).toEqual({ perRun: 100, grows: true });
  });

  it("is not judged by three figures", () => {
    expect(() => growthOf([1, 2, 3], 1_000, 50 * kB)).toThrow("four parts or more");
  });
});

describe("a measurement of a few hundred runs", () => {
  async function measure(kind: string) {
    const children = await bundleChild(join(import.meta.dirname, "leak-child.ts"), QUICK.flags);
    try {
      return growthOf((await children.run([kind])) as number[], 600, QUICK.noise);
    } finally {
      children.close();
    }
  }

  it("finds one small object that every run leaves behind", async () => {
    const { perRun, grows } = await measure("leak");
    expect(grows).toBe(true);
    expect(perRun).toBeGreaterThan(20);
  });

  it("finds nothing where nothing is left", async () => {
    expect((await measure("clean")).grows).toBe(false);
  });
});
