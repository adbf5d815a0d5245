import { type PlacedNode, right, type Wire } from "./wire.js";

/** A vertical line at the right of all cards that it passes, for an edge that leads up. */
export interface Lane {
  readonly x: number;
  readonly isOutAtSide: boolean;
  readonly isInAtSide: boolean;
  /** So that an edge that comes to the side of a card and one that leaves there are two lines. */
  readonly outShift: number;
  readonly inShift: number;
}

interface Used {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

export function chooseLanes(
  wires: readonly Wire[],
  rows: readonly (readonly PlacedNode[])[],
  corridors: ReadonlyMap<Wire, readonly number[]>,
): Map<Wire, Lane> {
  const back = wires.filter(({ isBack }) => isBack);
  const isLast = (node: PlacedNode, row: number): boolean =>
    (rows[row] ?? []).every((other) => other === node || right(other) <= node.x);
  const lanes = new Map<Wire, Lane>();
  const used: Used[] = [];
  for (const wire of [...back].sort((a, b) => a.fromRow - a.toRow - (b.fromRow - b.toRow))) {
    const isOutAtSide = isLast(wire.from, wire.fromRow);
    const isInAtSide = isLast(wire.to, wire.toRow) || wire.toRow === 0;
    const top = isInAtSide ? wire.toRow : wire.toRow - 1;
    const bottom = isOutAtSide ? wire.fromRow : wire.fromRow + 1;
    let x = rightOf(rows.slice(top, bottom + 1).flat(), linesIn(corridors, top, bottom)) + 22;
    for (const other of used.filter((lane) => lane.top <= bottom && lane.bottom >= top).sort((a, b) => a.x - b.x)) {
      if (Math.abs(other.x - x) < 14) x = other.x + 14;
    }
    used.push({ x, top, bottom });
    const outShift = back.some((other) => other.to === wire.from) ? 8 : 0;
    const inShift = back.some((other) => other.from === wire.to) ? -8 : 0;
    lanes.set(wire, { x, isOutAtSide, isInAtSide, outShift, inShift });
  }
  return lanes;
}

function rightOf(nodes: readonly PlacedNode[], lines: readonly number[]): number {
  return Math.max(...nodes.map(right), ...lines);
}

/** Where forward edges pass these rows. */
function linesIn(corridors: ReadonlyMap<Wire, readonly number[]>, top: number, bottom: number): number[] {
  return [...corridors].flatMap(([{ fromRow }, xs]) =>
    xs.filter((_x, index) => fromRow + index >= top && fromRow + index <= bottom),
  );
}
