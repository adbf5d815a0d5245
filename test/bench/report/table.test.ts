import { expect, it } from "vitest";
import type { Row } from "../../../bench/report/row.js";
import { contenderTable, targetTable, toMarkdown } from "../../../bench/report/table.js";

const row: Row = {
  id: "chain",
  title: "a chain",
  unit: "ns",
  cells: [
    { contender: "by hand", value: 50, ratio: 1 },
    { contender: "kumiko", value: 60, ratio: 1.2 },
    { contender: "slow", value: 291_000, ratio: 5_820, note: "grows" },
  ],
  target: { contender: "kumiko", of: "ratio", atMost: 1.4 },
};

it("says that a target is met, and when it is not", () => {
  expect(targetTable([row]).rows[0]).toEqual([
    "a chain",
    "by hand",
    "50 ns",
    "60 ns",
    "1.20×",
    "1.4×",
    "met",
    "slow 291 µs (5,820×), grows",
  ]);
  const tighter: Row = { ...row, target: { contender: "kumiko", of: "value", atMost: 59 } };
  expect(targetTable([tighter]).rows[0]?.slice(5, 7)).toEqual(["59 ns", "NOT MET"]);
});

it("has a dash for what a contender cannot do, and the reason for what failed", () => {
  const failed: Row = {
    ...row,
    cells: [...row.cells, { contender: "broken", value: -1, note: "out of memory" }],
  };
  const table = contenderTable([failed], ["by hand", "slow", "broken", "absent"]);
  expect(table.rows[0]).toEqual(["a chain", "50 ns", "291 µs (5,820×), grows", "out of memory", "–"]);
});

it("is a table in Markdown too", () => {
  const lines = toMarkdown(contenderTable([row], ["by hand"])).split("\n");
  expect(lines).toEqual(["| workload | by hand |", "| --- | --- |", "| a chain | 50 ns |"]);
});
