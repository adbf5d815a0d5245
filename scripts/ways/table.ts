import type { Summary } from "./summary.js";

/** One line for each combination. */
export function formatTable(summaries: readonly (readonly [combination: string, Summary])[]): string {
  const head = ["", "passed", "of them excepted", "known defects", "failed"];
  const rows = summaries.map(([combination, { passed, excepted, defects, failures }]) => [
    combination,
    ...[passed, excepted, defects, failures.length].map(String),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return [head, ...rows].map(line).join("\n");
}
