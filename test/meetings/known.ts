import type { Case, FlowSpec, NodeSpec } from "./spec.js";

/** A kind of failure that is known and not mended yet: `is` says which cases it may touch, and how. */
interface Known {
  readonly reason: string;
  readonly is: (one: Case, problems: string) => boolean;
}

const nodesOf = ({ nodes }: FlowSpec): readonly NodeSpec[] =>
  nodes.flatMap((node) => [node, ...(node.flow === undefined ? [] : nodesOf(node.flow))]);
const has = ({ flow }: Case, is: (node: NodeSpec) => unknown): boolean => nodesOf(flow).some((node) => is(node));

/** To look for a kind again, remove its line. */
export const knownFailures: Readonly<Record<string, Known>> = {
  cachedQuestions: {
    reason:
      "a visit in which a child run has asked is cached if the run failed, and was resumed, between answer and end",
    is: (one, problems) =>
      problems.includes("never asks") && one.way.twice !== undefined && has(one, ({ cache }) => cache !== undefined),
  },
  pausedRetries: {
    reason:
      "a retry that gives up its delay because something asks leaves an interrupt that asks nothing, if that question is withdrawn",
    is: (one, problems) =>
      problems.includes("nobody asked for") &&
      has(one, ({ retry }) => retry !== undefined) &&
      has(one, ({ fallback, caught }) => fallback === true || caught === true),
  },
};

/** The name of the first known kind that a failure may be of. */
export const knownAs = (one: Case, problems: readonly string[]): string | undefined =>
  Object.keys(knownFailures).find((name) => knownFailures[name]?.is(one, problems.join("\n")));
