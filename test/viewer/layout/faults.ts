import { labelText, labelWidth } from "../../../src/viewer/layout/labels.js";
import type { Level, LevelNode, Point } from "../../../src/viewer/layout/level.js";

export interface Faults {
  edges: number;
  overlaps: number;
  crossings: number;
  outside: number;
  slanted: number;
  hiddenLabels: number;
}

/** Counts what no picture may have, in a level and in those inside it. */
export function faultsOf(level: Level): Faults {
  const found = { edges: 0, overlaps: 0, crossings: 0, outside: 0, slanted: 0, hiddenLabels: 0 };
  count(level, found);
  return found;
}

function count(level: Level, found: Faults): void {
  level.nodes.forEach((node, index) => {
    for (const other of level.nodes.slice(index + 1)) if (isOverlapping(node, other)) found.overlaps++;
    if (node.x < -0.5 || node.x + node.width > level.width + 0.5) found.outside++;
    if (node.y < -0.5 || node.y + node.height > level.height + 0.5) found.outside++;
    if (node.inner !== undefined) count(node.inner.level, found);
  });
  for (const { points, label, labels } of level.edges) {
    found.edges++;
    const parts = points.slice(1).map((point, index) => [points[index] ?? point, point] as const);
    if (parts.some(([a, b]) => Math.abs(a.x - b.x) > 0.01 && Math.abs(a.y - b.y) > 0.01)) found.slanted++;
    if (parts.some(([a, b]) => level.nodes.some((node) => isCrossing(node, a, b)))) found.crossings++;
    const half = labelWidth(labelText(labels)) / 2;
    if (label !== undefined && level.nodes.some((node) => isCovered(node, label, half))) found.hiddenLabels++;
  }
}

function isOverlapping(a: LevelNode, b: LevelNode): boolean {
  return (
    a.x < b.x + b.width - 0.5 && b.x < a.x + a.width - 0.5 && a.y < b.y + b.height - 0.5 && b.y < a.y + a.height - 0.5
  );
}

function isCrossing({ x, y, width, height }: LevelNode, a: Point, b: Point): boolean {
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
  return left < x + width - 1.5 && right > x + 1.5 && top < y + height - 1.5 && bottom > y + 1.5;
}

function isCovered({ x, y, width, height }: LevelNode, label: Point, half: number): boolean {
  return label.x + half > x && label.x - half < x + width && label.y + 9 > y + 1 && label.y - 9 < y + height - 1;
}
