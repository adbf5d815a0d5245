import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exceptions, knownDefects } from "./exceptions.js";
import { combinations, givenCombination, sampled } from "./ways.js";

describe("The combination of a test", () => {
  it("is one of 27: every way and mode but the one in which tests are written", () => {
    expect(new Set(combinations.map(({ way, mode }) => `${way} ${mode}`)).size).toBe(27);
    expect(combinations).not.toContainEqual({ way: "plain", mode: "invoke" });
  });

  it("is what the environment says, for all tests", () => {
    expect(givenCombination({ KUMIKO_WAY: "saved-step" })).toEqual({ way: "saved-step", mode: "invoke" });
    expect(givenCombination({ KUMIKO_MODE: "stream" })).toEqual({ way: "plain", mode: "stream" });
  });

  it("is refused when there is no such way", () => {
    expect(() => givenCombination({ KUMIKO_WAY: "saved" })).toThrow('KUMIKO_WAY is "saved"');
    expect(() => givenCombination({ KUMIKO_MODE: "read" })).toThrow('KUMIKO_MODE is "read"');
  });

  it("is chosen by the name of the test where the environment says nothing", () => {
    expect(givenCombination({})).toBeUndefined();
    expect(sampled("a.test.ts", "a test")).toBe(sampled("a.test.ts", "a test"));
  });

  it("has its share of any thousand tests", () => {
    const chosen = Array.from({ length: 1_000 }, (_, n) => sampled("a.test.ts", `test ${n}`));
    for (const combination of combinations) {
      expect(chosen.filter((one) => one === combination).length).toBeGreaterThan(15);
    }
  });
});

describe("An exception", () => {
  const all = [...exceptions, ...knownDefects];
  const files = [...new Set(all.flatMap(({ tests }) => tests.map(([file]) => file)))];

  it.each(files)("names tests of a file that exists: %s", (file) => {
    expect(existsSync(join(import.meta.dirname, "..", file))).toBe(true);
  });

  it.each(all.map(({ why, ways, modes }) => [why, ways, modes] as const))(
    "is for some way or mode: %s",
    (_, ways, modes) => {
      expect([...(ways ?? []), ...(modes ?? [])]).not.toEqual([]);
    },
  );
});
