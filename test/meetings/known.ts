import type { Case, FlowSpec, NodeSpec } from "./spec.js";

/** A kind of failure that is known and not mended yet: `is` says which cases it may touch, and how. */
interface Known {
  readonly reason: string;
  readonly is: (one: Case, problems: string) => boolean;
}

const nodesOf = ({ nodes }: FlowSpec): readonly NodeSpec[] =>
  nodes.flatMap((node) => [node, ...(node.flow === undefined ? [] : nodesOf(node.flow))]);
const has = ({ flow }: Case, is: (node: NodeSpec) => unknown): boolean => nodesOf(flow).some((node) => is(node));

const leavesEarly = ({ kind, branch, chosen, reads }: NodeSpec): boolean =>
  kind === "early" || branch?.stream || chosen?.stream || reads?.some(({ how }) => how === "first") || false;
const hasPolicy = ({ retry, limited, cache, fallback, caught }: NodeSpec): boolean =>
  retry !== undefined || limited === true || cache !== undefined || fallback === true || caught === true;
const isRepeated = (problems: string): boolean =>
  /does .* (times, not|again)|twice in one|CANNOT_MERGE|nobody does|^gives|question/.test(problems);

/** Whether one of its runs or resumes is read as a stream. */
const isStreamed = ({ way: { mode, answers = [] } }: Case): boolean =>
  mode !== "invoke" || answers.some((n) => n % 3 === 2);

/** To look for a kind again, remove its line. */
export const knownFailures: Readonly<Record<string, Known>> = {
  limitedItems: {
    reason: "maxConcurrency loses what is an item's own: questions, once, what is finished",
    is: (one) => one.way.limit !== undefined && has(one, ({ kind }) => kind === "each"),
  },
  policiesInStreams: {
    reason:
      "in a streamed run, a finished function behind a policy or maxConcurrency counts as finished when it is read",
    is: (one, problems) =>
      isStreamed(one) && (one.way.limit !== undefined || has(one, hasPolicy)) && isRepeated(problems),
  },
  cutOffWithSignal: {
    reason: "RunControl does not abort the signal of nodes if the run has a signal of the caller",
    is: ({ way }, problems) =>
      isRepeated(problems) && way.signal === true && way.stops?.some(({ kind }) => kind === "cut off") === true,
  },
  earlyReaders: {
    reason: "who has left a stream early and has finished runs again after a question or failure of the source",
    is: (one, problems) => isRepeated(problems) && has(one, leavesEarly),
  },
  nestedStreams: {
    reason:
      "a finished node of a nested graph runs again after a question or failure beside it, if the outputs of that graph are a stream",
    is: (one, problems) => isRepeated(problems) && isStreamed(one) && has(one, ({ flow }) => flow !== undefined),
  },
  requestedItems: {
    reason: "finished items run again after a stop, if the list is a stream",
    is: (one, problems) => /item.* (times, not|again)/.test(problems) && has(one, ({ streamed }) => streamed),
  },
  forgottenChoices: {
    reason: "the choice of a branch is acted upon before it is saved",
    is: (one) => one.way.stops !== undefined && has(one, ({ branch, chosen }) => branch?.whim || chosen?.whim),
  },
  cachedQuestions: {
    reason: "a visit that asked, failed and was resumed is cached",
    is: (one, problems) =>
      problems.includes("never asks") && one.way.twice !== undefined && has(one, ({ cache }) => cache),
  },
  runAfterInStreams: {
    reason: "runAfter is taken for met by the begin of a stream that the node reads as well",
    is: (_one, problems) => problems.includes("begins "),
  },
  lostFailures: {
    reason: "a failure in a graph with retry is lost in a stream",
    is: (one, problems) =>
      problems.includes("always fails") && has(one, ({ kind, retry }) => kind === "flow" && retry !== undefined),
  },
  fallbackBesideQuestion: {
    reason: "a failure bypasses fallback and error branch beside a question",
    is: (one, problems) =>
      /gives|rejects|nobody asked for|not done after/.test(problems) &&
      has(one, ({ asks }) => asks) &&
      has(one, ({ fallback, caught, retry }) => fallback || caught || retry),
  },
};

export const isKnown = (one: Case, problems: readonly string[]): boolean =>
  Object.values(knownFailures).some(({ is }) => is(one, problems.join("\n")));
