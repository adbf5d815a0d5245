/** A node as far as ranks and positions need it. */
export interface RankedNode {
  readonly key: string;
  readonly width: number;
  readonly height: number;
}

export interface RankedEdge {
  readonly from: string;
  readonly to: string;
  readonly isBranch: boolean;
}

/** Rows of nodes from the top down, and where each stands. */
export interface Ranks {
  readonly rows: readonly (readonly string[])[];
  readonly rowOf: ReadonlyMap<string, number>;
  /** The middle of each node. */
  readonly centers: ReadonlyMap<string, number>;
  /** For each edge of the list: its horizontal position in each row that it passes, by row. */
  readonly bends: readonly ReadonlyMap<number, number>[];
}
