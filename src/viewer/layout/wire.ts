import type { GraphEdgeInfo } from "../../callbacks/graph-info.js";

/** A node with its size and its ports. Everything but `x` is known before the nodes are placed. */
export interface PlacedNode {
  readonly key: string;
  x: number;
  readonly width: number;
  readonly height: number;
  /** Where edges enter at the top and leave at the bottom, from the left side. */
  readonly inX: number;
  readonly outX: number;
}

/** All edges from one node to another, drawn as one line. */
export interface Wire {
  readonly from: PlacedNode;
  readonly to: PlacedNode;
  readonly kind: GraphEdgeInfo["kind"];
  readonly labels: readonly string[];
  readonly fromRow: number;
  readonly toRow: number;
  readonly isBack: boolean;
  /** Where dagre would pass each row between. */
  readonly bends: ReadonlyMap<number, number>;
}

export function outOf({ from }: Wire): number {
  return from.x + from.outX;
}

export function intoOf({ to }: Wire): number {
  return to.x + to.inX;
}

export function right({ x, width }: PlacedNode): number {
  return x + width;
}
