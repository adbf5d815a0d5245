import type { Dice } from "./dice.js";
import {
  type BranchSpec,
  type Builder,
  type Case,
  type FlowSpec,
  forever,
  type NodeKind,
  type NodeSpec,
  type ReadSpec,
  type Stop,
  type Way,
} from "./spec.js";

const leaves: readonly NodeKind[] = [
  "value",
  "value",
  "value",
  "sync",
  "stream",
  "stream",
  "stream",
  "transform",
  "transform",
  "collect",
  "early",
  "early",
  "pass",
];
const inner: readonly NodeKind[] = ["each", "each", "flow", "flow", "child"];
const builders: readonly Builder[] = ["chain", "graph", "levels", "dag", "dag", "workflow", "workflow"];

/** The case of a seed. */
export function randomCase(dice: Dice): Case {
  // most cases are about a few features
  const taste = {
    fails: dice.chance(0.5),
    asks: dice.chance(0.6),
    policies: dice.chance(0.5),
    whims: dice.chance(0.2),
  };
  const way = randomWay(dice);
  return { flow: randomFlow(dice, 0, taste), way };
}

interface Taste {
  readonly fails: boolean;
  readonly asks: boolean;
  readonly policies: boolean;
  readonly whims: boolean;
}

function randomFlow(dice: Dice, depth: number, taste: Taste): FlowSpec {
  const builder = dice.pick(builders);
  const most = depth === 0 ? 5 : depth === 1 ? 3 : 2;
  const nodes = dice.list(1, most, () => randomNode(dice, depth, taste));
  return { builder, nodes, ...(dice.chance(0.3) ? { compiled: true } : {}) };
}

function randomNode(dice: Dice, depth: number, taste: Taste): NodeSpec {
  const kind = depth < 2 && dice.chance(0.3) ? dice.pick(inner) : dice.pick(leaves);
  const has = <T extends object>(chance: number, make: () => T): T | undefined =>
    dice.chance(chance) ? make() : undefined;
  const isInner = inner.includes(kind);
  return {
    kind,
    ...(isInner && (kind !== "each" || dice.chance(0.4)) ? { flow: randomFlow(dice, depth + 1, taste) } : {}),
    ...(taste.asks ? has(0.35, () => ({ asks: dice.int(1, 2) })) : undefined),
    ...has(0.15, () => ({ once: true })),
    ...has(0.15, () => ({ waits: dice.pick([5, 30, 60]) })),
    ...(taste.fails
      ? has(0.3, () => ({ fails: { times: dice.pick([1, 1, 2, forever]), ...has(0.5, () => ({ mid: true })) } }))
      : undefined),
    ...(taste.fails
      ? has(0.08, () => ({ hangs: { times: dice.pick([1, forever]), ...has(0.4, () => ({ deaf: true })) } }))
      : undefined),
    ...(taste.policies
      ? {
          ...has(0.3, () => ({ retry: dice.int(2, 3) })),
          ...has(0.1, () => ({ buffer: true })),
          ...has(0.15, () => ({ limited: true })),
          ...has(0.2, () => ({ fallback: true })),
          ...has(0.2, () => ({ caught: true })),
          ...has(0.15, () => ({ cache: dice.pick(["own", "coalesce"] as const) })),
        }
      : undefined),
    ...(kind === "each"
      ? {
          items: dice.int(0, 3),
          ...has(0.4, () => ({ concurrency: dice.int(1, 2) })),
          ...has(0.5, () => ({ streamed: true })),
          ...has(0.25, () => ({ unordered: true })),
        }
      : undefined),
    ...has(0.4, () => ({ beside: true })),
    ...has(0.25, () => ({ branch: randomBranch(dice, taste) })),
    ...has(0.15, () => ({ loop: dice.int(2, 3) })),
    ...has(0.8, () => ({ reads: dice.list(1, 3, () => randomRead(dice)) })),
    ...has(0.3, () => ({ after: dice.list(1, 2, () => dice.int(0, 3)) })),
    ...has(0.2, () => ({ chosen: { from: dice.int(0, 2), targets: dice.int(1, 3), ...randomBranch(dice, taste) } })),
    ...has(0.3, () => ({ unread: true })),
  };
}

const randomRead = (dice: Dice): ReadSpec => ({
  from: dice.int(0, 3),
  ...(dice.chance(0.3) ? { how: dice.pick(["dataOnly", "default", "first", "first"] as const) } : {}),
});

const randomBranch = (dice: Dice, { whims }: Taste): BranchSpec => ({
  takes: dice.int(1, 7),
  ...(dice.chance(0.3) ? { stream: true } : {}),
  ...(whims && dice.chance(0.5) ? { whim: true } : {}),
});

function randomWay(dice: Dice): Way {
  const durability = dice.pick([undefined, "exit", "exit", "step", "step"] as const);
  const isSaved = durability !== undefined;
  return {
    mode: dice.pick(["invoke", "invoke", "stream", "stream", "collect", "transform"] as const),
    ...(isSaved ? { durability } : {}),
    ...(isSaved && dice.chance(0.5) ? { appends: true } : {}),
    ...(dice.chance(0.4) ? { handlers: dice.pick(["values", "streams"] as const) } : {}),
    ...(dice.chance(0.15) ? { control: true } : {}),
    ...(dice.chance(0.3) ? { signal: true } : {}),
    ...(dice.chance(0.2) ? { limit: dice.int(1, 3) } : {}),
    ...(isSaved && dice.chance(0.7) ? { answers: dice.list(1, 4, () => dice.int(0, 14)) } : {}),
    ...(isSaved && dice.chance(0.5) ? { stops: dice.list(1, 3, () => randomStop(dice)) } : {}),
    ...(dice.chance(0.12) ? { twice: dice.pick(["after", "after", "beside"] as const) } : {}),
    ...(isSaved && dice.chance(0.1) ? { keep: true } : {}),
  };
}

function randomStop(dice: Dice): Stop {
  const kind = dice.pick([
    "request",
    "cut off",
    "abort",
    "leave",
    "store fails",
    "gone",
    "gone",
    "gone after",
  ] as const);
  const isWrite = kind === "store fails" || kind === "gone" || kind === "gone after";
  return { kind, at: dice.int(1, isWrite ? 8 : 12) };
}
