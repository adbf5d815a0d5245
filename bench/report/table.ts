import { type Cell, cellOf, meets, type Row, ratioText, textOf } from "./row.js";

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Rows of this library beside the work by hand, with what they are to reach. */
export function targetTable(rows: readonly Row[], own = "kumiko"): Table {
  return {
    head: ["workload", "against", "takes", own, "ratio", "at most", "", "beside them"],
    rows: rows.map((row) => {
      const [base, ...others] = row.cells;
      const ours = cellOf(row, own);
      const beside = others.filter((cell) => cell !== ours);
      return [
        row.title,
        base === ours ? "" : (base?.contender ?? ""),
        base === undefined || base === ours ? "" : textOf(base.value, row.unit),
        ours === undefined ? "" : withNote(textOf(ours.value, row.unit), ours),
        ours?.ratio === undefined || base === ours ? "" : ratioText(ours.ratio),
        targetText(row),
        verdictOf(row),
        beside.map((cell) => `${cell.contender} ${valueText(row, cell)}`).join(", "),
      ];
    }),
  };
}

/** One column for each contender. */
export function contenderTable(rows: readonly Row[], contenders: readonly string[]): Table {
  return {
    head: ["workload", ...contenders],
    rows: rows.map((row) => [
      row.title,
      ...contenders.map((contender) => {
        const cell = cellOf(row, contender);
        return cell === undefined ? "–" : valueText(row, cell);
      }),
    ]),
  };
}

function valueText(row: Row, cell: Cell): string {
  if (!(cell.value >= 0)) return cell.note ?? "failed";
  const value = textOf(cell.value, row.unit);
  return withNote(
    cell.ratio === undefined || cell === row.cells[0] ? value : `${value} (${ratioText(cell.ratio)})`,
    cell,
  );
}

const withNote = (text: string, { note }: Cell): string => (note === undefined ? text : `${text}, ${note}`);

function targetText({ target, unit }: Row): string {
  if (target === undefined) return "";
  return target.of === "ratio" ? `${target.atMost}×` : textOf(target.atMost, unit);
}

function verdictOf(row: Row): string {
  const met = meets(row);
  return met === undefined ? "" : met ? "met" : "NOT MET";
}

export function toText({ head, rows }: Table): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function toMarkdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
