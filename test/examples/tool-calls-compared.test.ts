import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = join(import.meta.dirname, "../../docs");
const page = readFileSync(join(folder, "tool-calls-compared.md"), "utf8");
const named = [...page.matchAll(/\[([^\]]+)\]\((\.\.\/test\/[^)]+)\)/g)].map(([, name = "", path = ""]) => ({
  name,
  path,
}));

it("has a row for each of the twenty points, and tests in every row", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| ") && !/^\| (point|---) /.test(line));
  const points = rows.flatMap((row) => /^\| (\d+)\. /.exec(row)?.[1] ?? []).map(Number);
  expect(points.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  for (const row of rows) expect(row).toContain("](../test/");
});

it.each(named)("names a test that is there: $name", ({ name, path }) => {
  const source = readFileSync(join(folder, path), "utf8");
  const starts = [`"${name}`, `'${name}`, `"%s ${name}`].filter((start) => source.includes(start));
  expect(starts).toHaveLength(1);
  expect(source.split(starts[0] ?? "")[1]).toMatch(/^(["']|: %s"| \[)/);
});
