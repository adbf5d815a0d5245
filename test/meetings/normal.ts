import { type BranchSpec, type Case, type FlowSpec, forever, type NodeKind, type NodeSpec, type Way } from "./spec.js";
import { isCrash } from "./stops.js";
import { wiringOf } from "./wiring.js";

/** What stands around a flow. */
interface Around {
  /** Something makes a value of a failure: how often something fails must not depend on when a process dies. */
  readonly isHandled: boolean;
  /** Several visits of one place may differ in their input only. */
  readonly isMany: boolean;
  /** No branch changes its mind. */
  readonly isSteady: boolean;
  /** Bodies wait for each other: whether that counts towards their time is not said. */
  readonly isLimited: boolean;
}

/** The same case without what the contract leaves open, or calls an error. Whatever a shrinker removes, the rest is a program. */
export function normal({ flow, way }: Case): Case {
  return {
    flow: flowOf(flow, {
      isHandled: false,
      isMany: false,
      isSteady: isSteady(way),
      isLimited: way.limit !== undefined,
    }),
    way: wayOf(way),
  };
}

/** A run that begins again from its start asks its branches again. */
const isSteady = ({ mode, twice, durability, stops = [] }: Way): boolean =>
  twice !== undefined || mode === "collect" || mode === "transform" || (durability === "exit" && stops.some(isCrash));

function wayOf({ stops, answers, keep, ...way }: Way): Way {
  if (way.durability === undefined) {
    const { appends: _, ...rest } = way;
    return rest;
  }
  const isTwice = way.twice !== undefined;
  const kept = stops?.filter(({ kind }) => !isTwice && (kind !== "leave" || isStreamed(way.mode)));
  return {
    ...way,
    ...(answers !== undefined && answers.length > 0 ? { answers } : {}),
    ...(kept !== undefined && kept.length > 0 ? { stops: kept } : {}),
    ...(keep ? { keep } : {}),
  };
}

const isStreamed = (mode: Way["mode"]): boolean => mode === "stream" || mode === "transform";

function flowOf({ builder, nodes, compiled }: FlowSpec, around: Around): FlowSpec {
  const isFree = builder === "dag" || builder === "workflow";
  let list = (nodes.length === 0 ? [{ kind: "value" as const }] : nodes).map((node) => nodeOf(node, builder, around));
  if (around.isMany || around.isSteady) list = list.map(steady);
  if (around.isMany && builder === "workflow") list = list.map(varied);
  list = isFree ? free(list, builder) : leveled(list, builder);
  const needsCompile = builder === "levels" || builder === "dag";
  return { builder, nodes: list, ...(compiled && !needsCompile ? { compiled } : {}) };
}

const steady = ({ branch, chosen, ...node }: NodeSpec): NodeSpec => ({
  ...node,
  ...(branch === undefined ? {} : { branch: { ...branch, whim: false } }),
  ...(chosen === undefined ? {} : { chosen: { ...chosen, whim: false } }),
});

/** What is visited several times sees what makes the difference. */
const varied = (node: NodeSpec): NodeSpec => ({ ...node, reads: [...(node.reads ?? []), { from: 99 }] });

const handling = ["fallback", "caught"] as const;

function nodeOf(given: NodeSpec, builder: FlowSpec["builder"], around: Around): NodeSpec {
  const node: { -readonly [Key in keyof NodeSpec]: NodeSpec[Key] } = { ...given };
  const drop = (...names: (keyof NodeSpec)[]): void => {
    for (const name of names) delete node[name];
  };
  if ((node.kind === "flow" || node.kind === "child") && node.flow === undefined) node.kind = "value";
  if (node.kind === "early" && around.isMany) node.kind = "collect";
  if (builder === "chain") drop("caught");
  if (node.kind === "early") drop("fallback", "caught");
  if (around.isMany) drop("cache");
  if (node.kind === "pass") drop("retry", "buffer", "limited", "fallback", "caught", "cache", "hangs", "loop");
  if (node.kind === "pass" || node.kind === "flow") drop("asks", "once", "waits", "fails", "hangs");
  if (node.kind === "sync") drop("asks", "once", "waits", "hangs");
  if (node.kind === "each") drop("hangs");
  if (node.kind === "each" && node.flow !== undefined) drop("asks", "once", "waits", "fails");
  // whether another attempt of a function finds the runs inside it again is not said
  if (node.kind === "child") drop("retry");
  // nothing is what cannot be joined
  if (node.kind === "each" && node.items === 0) drop("streamed");
  // nor does it tell one item from another
  if (node.kind === "each" && node.items === 0 && around.isMany) node.items = 1;
  if (node.kind !== "each") drop("items", "concurrency", "streamed", "unordered");
  if (node.kind !== "flow" && node.kind !== "child" && node.kind !== "each") drop("flow");
  if (builder !== "graph" || node.caught || node.fallback || node.flow !== undefined || node.kind === "each")
    drop("loop");
  // an early reader sees no turn
  if (node.loop !== undefined && node.kind === "early") node.kind = "collect";
  const isHandled = around.isHandled || handling.some((name) => node[name]);
  if (node.fails !== undefined) {
    const { times } = node.fails;
    // of several items some have ended when one fails, and others not: which attempt is whose, nobody can say
    if (isHandled && times !== forever && times >= (node.retry ?? 1)) node.fails = { ...node.fails, times: forever };
    // chunks that were handed on forbid another attempt, unless they are held back
    if (node.fails.mid && node.retry !== undefined) node.buffer = true;
  }
  if (around.isLimited) drop("hangs", "limited");
  if (node.hangs !== undefined) {
    node.limited = true;
    if (isHandled && node.hangs.times !== forever && node.hangs.times >= (node.retry ?? 1)) drop("hangs");
    if (node.fails !== undefined) drop("hangs");
  }
  // a coalesced visit that asks or is stopped concerns two runs
  if (node.flow !== undefined) {
    const isMany = around.isMany || node.kind === "each";
    node.flow = flowOf(node.flow, { ...around, isHandled, isMany });
  }
  return node;
}

/** Levels: branches lead from a node that is alone in its level to several; early readers are not alone. */
function leveled(nodes: readonly NodeSpec[], builder: FlowSpec["builder"]): NodeSpec[] {
  const cleaned = nodes.map(({ reads: _, after: _after, chosen: _chosen, unread: _unread, ...node }): NodeSpec => node);
  const [first, ...rest] = cleaned;
  const { beside: _, ...start } = first as NodeSpec;
  const list: NodeSpec[] = [start, ...rest];
  const levels = wiringOf({ builder, nodes: list }).levels;
  for (const [n, level] of levels.entries()) {
    const next = levels[n + 1] ?? [];
    for (const index of level) {
      let { branch, loop, caught, ...node } = list[index] as NodeSpec;
      if (level.length > 1) loop = caught = branch = undefined;
      if (next.length < 2 || loop !== undefined || caught) branch = undefined;
      if (builder === "chain" && branch?.stream) branch = { ...branch };
      list[index] = {
        ...node,
        ...(loop === undefined || loop < 2 ? {} : { loop }),
        ...(caught ? { caught } : {}),
        ...(branch === undefined ? {} : { branch: branchOf(branch, next.length) }),
      };
    }
    const before = levels[n - 1] ?? [];
    const isForked = before.some((index) => list[index]?.branch !== undefined);
    const hasWholeReader = level.some((index) => list[index]?.kind !== "early");
    if (!isForked && hasWholeReader) continue;
    for (const index of level) {
      const node = list[index] as NodeSpec;
      if (node.kind === "early") list[index] = { ...node, kind: "collect" };
    }
  }
  return list;
}

/** At least one target, and no more than there are. */
function branchOf({ takes, stream, whim }: BranchSpec, targets: number): BranchSpec {
  const bits = takes % 2 ** targets;
  return { takes: bits === 0 ? 1 : bits, ...(stream ? { stream } : {}), ...(whim ? { whim } : {}) };
}

/** Free: what an early reader reads is read whole by END, and so is what nobody reads. */
function free(nodes: readonly NodeSpec[], builder: FlowSpec["builder"]): NodeSpec[] {
  const isWorkflow = builder === "workflow";
  const forks = new Set<number>();
  const list = nodes.map((node, index): NodeSpec => {
    const { beside: _, branch: _branch, loop: _loop, reads, after, chosen, ...rest } = node;
    const from = Math.max(-1, index - 1 - (chosen?.from ?? 0));
    const hasFork = chosen !== undefined && !forks.has(from);
    if (hasFork) forks.add(from);
    return {
      ...rest,
      ...(reads === undefined ? {} : { reads: isWorkflow ? reads : reads.map((read) => ({ from: read.from })) }),
      ...(after === undefined || !isWorkflow || after.length === 0 ? {} : { after }),
      ...(hasFork ? { chosen: forkOf(chosen, nodes.length - index) } : {}),
    };
  });
  const { nodes: wires } = wiringOf({ builder, nodes: list });
  const isRead = (index: number): boolean => wires.some(({ reads }) => reads.some(({ source }) => source === index));
  const hasEarlyReader = (index: number): boolean =>
    wires.some(({ reads }, n) => list[n]?.kind === "early" && reads.some(({ source }) => source === index)) ||
    wires.some(({ fork }) => fork?.stream && fork.source === index);
  return list.map(({ unread, ...node }, index) =>
    unread && !hasEarlyReader(index) && (isWorkflow || isRead(index)) ? { ...node, unread } : node,
  );
}

function forkOf(chosen: NonNullable<NodeSpec["chosen"]>, most: number): NonNullable<NodeSpec["chosen"]> {
  const targets = Math.max(1, Math.min(chosen.targets, most));
  const { takes, ...flags } = branchOf({ ...chosen, takes: chosen.takes || 1 }, targets);
  return { from: chosen.from, targets, takes, ...flags };
}

/** Kinds that read their input to its end before they begin. */
export const readsWhole = (kind: NodeKind): boolean => kind !== "transform" && kind !== "early" && kind !== "pass";
