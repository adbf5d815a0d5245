import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openStore } from "../../../bench/report/measured.js";
import type { Row } from "../../../bench/report/row.js";

const folder = mkdtempSync(join(tmpdir(), "kumiko-measured-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const row = (id: string, values: Readonly<Record<string, number>>): Row => ({
  id,
  title: id,
  unit: "ns",
  cells: Object.entries(values).map(([contender, value]) => ({ contender, value })),
});

it("keeps what was measured before, and replaces what is measured again", () => {
  const path = join(folder, "rows.json");
  openStore(path, "a machine").add("Effect", [row("loop", { Effect: 1 }), row("chain", { Effect: 2 })], []);
  const store = openStore(path, "a machine");
  store.add("Effect", [row("loop", { Effect: 3 })], []);
  store.add("Mastra", [row("loop", { Mastra: 4 })], []);
  expect(store.read(["Effect", "Mastra"]).rows).toEqual([
    [row("chain", { Effect: 2 }), row("loop", { Effect: 3 })],
    [row("loop", { Mastra: 4 })],
  ]);
});

it("keeps the cells of those that are not measured again", () => {
  const store = openStore(join(folder, "packages.json"), "a machine");
  store.addPackages([row("import", { kumiko: 5, Effect: 6, Mastra: 7 })]);
  store.addPackages([row("import", { kumiko: 8, Mastra: 9 })]);
  expect(store.packages()).toEqual([row("import", { Effect: 6, kumiko: 8, Mastra: 9 })]);
});

it("names what is missing", () => {
  const store = openStore(join(folder, "missing.json"), "a machine");
  store.add("Effect", [row("loop", { Effect: 1 })], []);
  expect(store.read(["Effect", "Mastra"]).missing).toEqual(["Mastra", "package", "types"]);
});

it("forgets what was measured on another machine", () => {
  const path = join(folder, "machines.json");
  openStore(path, "a machine").add("Effect", [row("loop", { Effect: 1 })], []);
  expect(openStore(path, "another one").read(["Effect"]).missing).toContain("Effect");
});
