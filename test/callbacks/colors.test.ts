import { expect, it } from "vitest";
import { createPaint, hasColors, type ProcessLike } from "../../src/callbacks/colors.js";

const terminal = { isTTY: true };

it.each<[string, ProcessLike, boolean]>([
  ["a terminal", { env: {}, stdout: terminal }, true],
  ["a file", { env: {}, stdout: {} }, false],
  ["no process at all", {}, false],
  ["a terminal without capabilities", { env: { TERM: "dumb" }, stdout: terminal }, false],
  ["NO_COLOR on a terminal", { env: { NO_COLOR: "1" }, stdout: terminal }, false],
  ["an empty NO_COLOR", { env: { NO_COLOR: "" }, stdout: terminal }, true],
  ["FORCE_COLOR in a file", { env: { FORCE_COLOR: "1" }, stdout: {} }, true],
  ["FORCE_COLOR=0 on a terminal", { env: { FORCE_COLOR: "0" }, stdout: terminal }, false],
  ["NO_COLOR and FORCE_COLOR", { env: { NO_COLOR: "1", FORCE_COLOR: "1" }, stdout: terminal }, false],
])("decides about colors for %s", (_title, process, expected) => {
  expect(hasColors(process)).toBe(expected);
});

it("puts a text between the codes of its color, or leaves it alone", () => {
  expect(createPaint(true)("red", "no")).toBe("\u001b[31mno\u001b[39m");
  expect(createPaint(false)("red", "no")).toBe("no");
});
