import type { Case, FlowSpec, NodeSpec } from "./spec.js";

/** A kind of failure that is known and not mended yet. */
interface Known {
  readonly reason: string;
  readonly is: (one: Case, problems: readonly string[]) => boolean;
}

const nodesOf = ({ nodes }: FlowSpec): readonly NodeSpec[] =>
  nodes.flatMap((node) => [node, ...(node.flow === undefined ? [] : nodesOf(node.flow))]);
const has = ({ flow }: Case, is: (node: NodeSpec) => unknown): boolean => nodesOf(flow).some((node) => is(node));
const isRepeated = (problems: readonly string[]): boolean =>
  problems.some((text) => /^does .* (times, not|again)/.test(text));

/** Each is switched on again by removing its line. */
export const knownFailures: Readonly<Record<string, Known>> = {};

export const isKnown = (one: Case, problems: readonly string[]): boolean =>
  Object.values(knownFailures).some(({ is }) => is(one, problems));

export { has, isRepeated };
