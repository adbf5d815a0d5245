import type { RunModel } from "./run-model.js";

export interface TimelineRow {
  readonly row: string;
  readonly label: string;
  readonly depth: number;
  readonly component: string;
}

/** The rows of the timeline: as a tree, each level by when it began. The run itself has none. */
export function timelineRows(run: RunModel): TimelineRow[] {
  const children = new Map<string, string[]>();
  const firsts = new Map<string, number>();
  for (const [row, [first]] of run.byRow) firsts.set(row, first?.start ?? 0);
  for (const row of run.byRow.keys()) {
    if (row === "") continue;
    const parent = parentOf(row, firsts);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [row]);
    else siblings.push(row);
  }
  const found: TimelineRow[] = [];
  const visit = (parent: string, depth: number): void => {
    const rows = (children.get(parent) ?? []).sort((a, b) => (firsts.get(a) ?? 0) - (firsts.get(b) ?? 0));
    for (const row of rows) {
      const [first] = run.byRow.get(row) ?? [];
      const label = row.slice(Math.max(row.lastIndexOf("/"), row.lastIndexOf("#")) + 1);
      found.push({ row, label, depth, component: first?.component ?? "lambda" });
      visit(row, depth + 1);
    }
  };
  visit("", 0);
  return found;
}

/** The nearest row above that exists. */
function parentOf(row: string, known: ReadonlyMap<string, number>): string {
  for (let at = row; at !== ""; ) {
    at = at.slice(0, Math.max(at.lastIndexOf("/"), at.lastIndexOf("#"), 0));
    if (known.has(at)) return at;
  }
  return "";
}
