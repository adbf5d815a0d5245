import { describe, expect, it } from "vitest";
import { OnDemand } from "../../src/schema/on-demand.js";

describe("a part that is loaded on demand", () => {
  it("is imported once, however many wait for it", async () => {
    let imports = 0;
    const part = new OnDemand(async () => ++imports);
    expect(await Promise.all([part.load(), part.load()])).toEqual([1, 1]);
    expect(await part.load()).toBe(1);
  });

  it("is there without a promise as soon as it was loaded", async () => {
    const part = new OnDemand(async () => "part");
    expect(part.part).toBeUndefined();
    await part.load();
    expect(part.part).toBe("part");
  });

  it("says what is wrong when it cannot be imported, to all who wait", async () => {
    const cause = new TypeError("Failed to fetch dynamically imported module");
    const part = new OnDemand(() => Promise.reject(cause));
    const [first, second] = await Promise.allSettled([part.load(), part.load()]);
    expect(first).toMatchObject({ reason: { code: "PART_NOT_LOADED", cause } });
    expect(String(Reflect.get(first, "reason"))).toContain("Failed to fetch");
    expect(second).toEqual(first);
  });

  it("is tried again by the next one after a failure", async () => {
    let fails = true;
    const part = new OnDemand(async () => {
      if (fails) throw new Error("offline");
      return "part";
    });
    await expect(part.load()).rejects.toThrow("offline");
    fails = false;
    expect(await part.load()).toBe("part");
  });
});
