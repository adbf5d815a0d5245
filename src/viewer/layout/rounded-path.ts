import { type Point, sizes } from "./level.js";

/** A path through the points with rounded corners. */
export function roundedPath(points: readonly Point[], radius: number = sizes.radius): string {
  const corners = withoutRepeats(points);
  const [first, ...others] = corners;
  if (first === undefined) return "";
  const parts = [`M${short(first.x)} ${short(first.y)}`];
  others.forEach((corner, index) => {
    const before = corners[index] ?? corner;
    const after = others[index + 1];
    if (after === undefined) parts.push(`L${short(corner.x)} ${short(corner.y)}`);
    else if (!isStraight(before, corner, after)) parts.push(turn(before, corner, after, radius));
  });
  return parts.join("");
}

function turn(before: Point, corner: Point, after: Point, radius: number): string {
  const reach = Math.min(radius, distance(before, corner) / 2, distance(corner, after) / 2);
  const start = towards(corner, before, reach);
  const end = towards(corner, after, reach);
  return `L${short(start.x)} ${short(start.y)}Q${short(corner.x)} ${short(corner.y)} ${short(end.x)} ${short(end.y)}`;
}

function towards(from: Point, to: Point, reach: number): Point {
  const length = distance(from, to);
  return { x: from.x + ((to.x - from.x) * reach) / length, y: from.y + ((to.y - from.y) * reach) / length };
}

function withoutRepeats(points: readonly Point[]): Point[] {
  return points.filter((point, index) => {
    const before = points[index - 1];
    return before === undefined || distance(before, point) > 0.5;
  });
}

function isStraight(a: Point, b: Point, c: Point): boolean {
  return (a.x === b.x && b.x === c.x) || (a.y === b.y && b.y === c.y);
}

function distance(a: Point, b: Point): number {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
}

/** At most one decimal. */
function short(value: number): number {
  return Math.round(value * 10) / 10;
}
