/** What one contender has reached in one row. */
export interface Cell {
  readonly contender: string;
  /** In the unit of the row; negative if there is none, and `note` says why. */
  readonly value: number;
  /** Against the base of the row, measured side by side. */
  readonly ratio?: number | undefined;
  /** What has to be said of it: that there was one round only, that it grows faster than its input. */
  readonly note?: string | undefined;
}

export interface Row {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  readonly cells: readonly Cell[];
  readonly target?: RowTarget | undefined;
}

export type Unit = "ns" | "ms" | "bytes" | "count";

/** Who has to reach what. */
export interface RowTarget {
  readonly contender: string;
  readonly atMost: number;
  /** Whether `atMost` is compared with the ratio to the base, or with the value in the unit of the row. */
  readonly of: "ratio" | "value";
}

export function cellOf(row: Row, contender: string): Cell | undefined {
  return row.cells.find((cell) => cell.contender === contender);
}

export function meets({ target, cells }: Row): boolean | undefined {
  const cell = cells.find(({ contender }) => contender === target?.contender);
  const reached = target?.of === "ratio" ? cell?.ratio : cell?.value;
  return target === undefined || reached === undefined ? undefined : reached <= target.atMost;
}

/** A value with its unit, as short as it can be read. */
export function textOf(value: number, unit: Unit): string {
  if (unit === "ns") return time(value);
  if (unit === "ms") return time(value * 1e6);
  if (unit === "bytes") return value < 10_000 ? `${grouped(value)} B` : `${grouped(value / 1000)} kB`;
  return grouped(value);
}

function time(ns: number): string {
  if (ns < 1e3) return `${significant(ns)} ns`;
  if (ns < 1e6) return `${significant(ns / 1e3)} µs`;
  return ns < 1e9 ? `${significant(ns / 1e6)} ms` : `${significant(ns / 1e9)} s`;
}

/** `0.0023×`, `1.37×`, `24×`, `5,900×`. */
export function ratioText(ratio: number): string {
  return `${ratio < 0.1 ? Number(ratio.toPrecision(2)) : ratio < 10 ? ratio.toFixed(2) : significant(ratio)}×`;
}

/** Three figures: no more of a measurement is true. */
function significant(value: number): string {
  return value < 100 ? String(Number(value.toPrecision(value < 10 ? 2 : 3))) : grouped(Number(value.toPrecision(3)));
}

const grouped = (value: number): string => Math.round(value).toLocaleString("en");
