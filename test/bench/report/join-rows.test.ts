import { expect, it } from "vitest";
import { inOrder, joinRows, withGrowth } from "../../../bench/report/join-rows.js";
import type { Row } from "../../../bench/report/row.js";

const row = (id: string, values: Readonly<Record<string, number>>): Row => ({
  id,
  title: id,
  unit: "ns",
  cells: Object.entries(values).map(([contender, value]) => ({ contender, value })),
});

it("takes those who were measured in every process from the first that has the row", () => {
  const rows = joinRows([
    [row("loop", { "by hand": 1, kumiko: 2, Effect: 8 })],
    [row("loop", { "by hand": 3, kumiko: 6, Mastra: 900 }), row("tools", { "by hand": 3, Mastra: 40 })],
  ]);
  expect(rows).toEqual([
    row("loop", { "by hand": 1, kumiko: 2, Effect: 8, Mastra: 900 }),
    row("tools", { "by hand": 3, Mastra: 40 }),
  ]);
});

it("notes what is no longer linear", () => {
  const rows = withGrowth([
    row("fan-out-50", { kumiko: 10, slow: 100 }),
    row("fan-out-4000", { kumiko: 12, slow: 1_500 }),
  ]);
  expect(rows[1]?.cells).toEqual([
    { contender: "kumiko", value: 12 },
    { contender: "slow", value: 1_500, note: "15 times one of 50" },
  ]);
});

it("puts rows in the order of a list, whichever was measured first", () => {
  const rows = inOrder([row("tools", {}), row("other", {}), row("loop", {})], ["loop", "tools"]);
  expect(rows.map(({ id }) => id)).toEqual(["loop", "tools", "other"]);
});
