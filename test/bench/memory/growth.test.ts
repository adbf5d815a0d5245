import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleChild } from "../../../bench/gates/children.js";
import { growthOf } from "../../../bench/memory/growth.js";
import { QUICK } from "../../../bench/memory/measure.js";

const judge = (...kilobytes: readonly number[]) =>
  growthOf(
    kilobytes.map((kB) => kB * 1_000),
    1_000,
    50_000,
  );

describe("memory", () => {
  it("grows when every part of a measurement leaves something behind", () => {
    expect(judge(500, 600, 700, 800, 900, 1_000)).toEqual({ perRun: 100, grows: true });
  });

  it("does not grow when something is kept once", () => {
    expect(judge(500, 900, 900, 890, 900, 900).grows).toBe(false);
  });

  it("does not grow when something is taken and given back", () => {
    expect(judge(500, 530, 531, 780, 532, 533).grows).toBe(false);
  });

  it("grows although something else was given back once", () => {
    expect(judge(500, 600, 300, 400, 500, 600)).toEqual({ perRun: 100, grows: true });
  });

  it("does not grow by less than the noise", () => {
    expect(judge(500, 509, 518, 527, 536, 545).grows).toBe(false);
  });

  it("may shrink", () => {
    expect(judge(800, 700, 600, 500, 400, 300)).toEqual({ perRun: -100, grows: false });
  });

  it("is not judged by five figures", () => {
    expect(() => judge(1, 2, 3, 4, 5)).toThrow("six parts or more");
  });
});

describe("a measurement of a few hundred runs", () => {
  async function measure(kind: string) {
    const children = await bundleChild(join(import.meta.dirname, "leak-child.ts"), QUICK.flags);
    try {
      return growthOf((await children.run([kind])) as number[], 400, QUICK.noise);
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
