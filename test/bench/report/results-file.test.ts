import { expect, it } from "vitest";
import { withPart } from "../../../bench/report/results-file.js";

it("keeps the part of the other command", () => {
  const first = withPart("", "bench", "ours: 1.2×");
  const both = withPart(first, "bench:peers", "theirs: 500×");
  expect(both).toContain("ours: 1.2×");
  expect(withPart(both, "bench", "ours: 1.1×")).toContain("theirs: 500×");
});

it("replaces the part of the command that writes", () => {
  const text = withPart(withPart("", "bench", "ours: 1.2×"), "bench", "ours: 1.1×");
  expect(text).not.toContain("1.2×");
  expect(text.match(/<!-- bench -->/g)).toHaveLength(1);
});

it("says which command has not been run", () => {
  expect(withPart("", "bench", "ours: 1.2×")).toContain("`npm run bench:peers` has not been run.");
});

it("is the same text when the same is written again", () => {
  const text = withPart(withPart("", "bench", "a"), "bench:peers", "b");
  expect(withPart(text, "bench:peers", "b")).toBe(text);
});
