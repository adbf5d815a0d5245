import { sizes } from "./level.js";
import { intoOf, outOf, type PlacedNode, right, type Wire } from "./wire.js";

/** How close two lines of different edges may pass. */
const apart = 10;
const corner = 40;
/** A small step to the side looks like a mistake. */
const jog = 90;

interface Line {
  readonly x: number;
  readonly wire: Wire;
}

/**
 * For each edge: its horizontal position at the source, in each row that it passes, and at the target. Between the cards of a row
 * and beside them there is always a place, so that no edge crosses a card.
 */
export function chooseCorridors(
  wires: readonly Wire[],
  rows: readonly (readonly PlacedNode[])[],
): Map<Wire, readonly number[]> {
  const taken: Line[][] = rows.map(() => []);
  const found = new Map<Wire, readonly number[]>();
  const length = ({ fromRow, toRow }: Wire): number => toRow - fromRow;
  for (const wire of [...wires].filter(({ isBack }) => !isBack).sort((a, b) => length(a) - length(b))) {
    const passed = cheapest(wire, rows, taken);
    passed.forEach((x, index) => {
      taken[wire.fromRow + 1 + index]?.push({ x, wire });
    });
    found.set(wire, [outOf(wire), ...passed, intoOf(wire)]);
  }
  return found;
}

interface Step {
  readonly x: number;
  readonly cost: number;
  readonly before: Step | undefined;
}

/** The path with the fewest corners and the least way, row by row. */
function cheapest(wire: Wire, rows: readonly (readonly PlacedNode[])[], taken: readonly (readonly Line[])[]): number[] {
  const places: (readonly number[])[] = [];
  for (let row = wire.fromRow + 1; row < wire.toRow; row++) {
    places.push(freePlaces(wire, row, rows[row] ?? [], taken[row] ?? []));
  }
  // a place in one row is worth a look in all others, because straight lines are best
  const shared = [...new Set([outOf(wire), intoOf(wire), ...places.flat()])];
  let steps: readonly Step[] = [{ x: outOf(wire), cost: 0, before: undefined }];
  for (const [index, own] of places.entries()) {
    const row = wire.fromRow + 1 + index;
    const isFree = freeIn(wire, rows[row] ?? [], taken[row] ?? []);
    const wanted = wire.bends.get(row) ?? outOf(wire);
    const candidates = nearest([...new Set([...own, ...shared.filter(isFree)])], wanted, steps);
    steps = candidates.map((x) => cheapestStep(x, Math.abs(x - wanted) * 0.3, steps));
  }
  const end = cheapestStep(intoOf(wire), 0, steps);
  const path: number[] = [];
  for (let step = end.before; step?.before !== undefined; step = step.before) path.unshift(step.x);
  return path;
}

/** Not all, because their number squared is what a row costs. */
function nearest(places: readonly number[], wanted: number, steps: readonly Step[]): readonly number[] {
  if (places.length <= 24) return places;
  const kept = new Set(steps.map(({ x }) => x));
  const sorted = places.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  return [...new Set([...sorted.slice(0, 16), ...sorted.filter((x) => kept.has(x))])];
}

function cheapestStep(x: number, own: number, steps: readonly Step[]): Step {
  let best: Step | undefined;
  for (const before of steps) {
    const cost = before.cost + own + costOf(Math.abs(before.x - x));
    if (best === undefined || cost < best.cost) best = { x, cost, before };
  }
  return best ?? { x, cost: 0, before: undefined };
}

function costOf(way: number): number {
  if (way < 0.5) return 0;
  return way + (way < 14 ? jog : corner);
}

function freePlaces(wire: Wire, row: number, nodes: readonly PlacedNode[], lines: readonly Line[]): number[] {
  const isFree = freeIn(wire, nodes, lines);
  const beside = nodes.flatMap((node) => [node.x - sizes.margin, right(node) + sizes.margin]);
  const own = [outOf(wire), intoOf(wire), wire.bends.get(row) ?? outOf(wire)];
  const besideLines = lines.flatMap(({ x }) => [x, x - apart, x + apart]);
  return [...new Set([...own, ...beside, ...besideLines])].filter(isFree);
}

function freeIn(wire: Wire, nodes: readonly PlacedNode[], lines: readonly Line[]): (x: number) => boolean {
  return (x) =>
    nodes.every((node) => x <= node.x - sizes.margin + 0.01 || x >= right(node) + sizes.margin - 0.01) &&
    lines.every((line) => isShared(line.wire, wire) || Math.abs(line.x - x) >= apart - 0.01);
}

/** Edges of one source, or into one target, may share a line. */
function isShared(a: Wire, b: Wire): boolean {
  return a.from === b.from || a.to === b.to;
}
