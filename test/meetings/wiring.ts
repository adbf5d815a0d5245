import type { BranchSpec, FlowSpec } from "./spec.js";

/** Where data comes from: the index of a node, or -1 for START. */
export interface Wire {
  readonly source: number;
  readonly how?: "dataOnly" | "default" | "first" | undefined;
}

export interface Fork extends BranchSpec {
  readonly source: number;
  readonly targets: readonly number[];
}

export interface NodeWiring {
  readonly reads: readonly Wire[];
  readonly after: readonly number[];
  /** The branch that stands before it. */
  readonly fork?: Fork | undefined;
}

export interface Wiring {
  readonly levels: readonly (readonly number[])[];
  /** Of free graphs. */
  readonly nodes: readonly NodeWiring[];
}

/** Who reads whom. */
export function wiringOf({ builder, nodes }: FlowSpec): Wiring {
  const levels: number[][] = [];
  for (const [index, { beside }] of nodes.entries()) {
    const last = levels.at(-1);
    if (beside && last !== undefined) last.push(index);
    else levels.push([index]);
  }
  const back = (index: number, by: number): number => Math.max(-1, index - 1 - by);
  const forks = nodes.map(({ chosen }, index): Fork | undefined => {
    if (chosen === undefined) return undefined;
    const { from, targets, ...branch } = chosen;
    return { ...branch, source: back(index, from), targets: Array.from({ length: targets }, (_, n) => index + n) };
  });
  const wires = nodes.map(({ reads = [], after = [] }, index): NodeWiring => {
    const given: readonly Wire[] = reads.map(({ from, how }) => ({ source: back(index, from), how }));
    const own: Wire[] = [];
    for (const wire of given) if (!own.some(({ source }) => source === wire.source)) own.push(wire);
    const into = forks.filter((fork) => fork?.targets.includes(index));
    // in a graph a branch delivers what it has read
    const read =
      builder === "workflow" ? own : own.filter(({ source }) => !into.some((fork) => fork?.source === source));
    const isLost = read.length === 0 && into.length === 0;
    return {
      reads: isLost ? [{ source: back(index, 0) }] : read,
      after: [...new Set(after.map((from) => back(index, from)))].filter((source) => source >= 0),
      fork: forks[index],
    };
  });
  return { levels, nodes: wires };
}

export const letterOf = (depth: number): string => String.fromCharCode(97 + depth);
export const keyOf = (index: number, depth: number): string => (index < 0 ? "start" : `${letterOf(depth)}${index}`);
/** The node that an error branch leads to. */
export const rescuerOf = (key: string): string => `${key}r`;

/** What a whim takes in turn. */
export const otherBits = (takes: number, targets: number): number => {
  const other = ~takes & (2 ** targets - 1);
  return other === 0 ? 1 : other;
};
