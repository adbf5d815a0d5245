import type { Case, FlowSpec, NodeSpec } from "./spec.js";

/** Smaller cases, the smallest first. */
export function* smaller({ flow, way }: Case): Generator<Case> {
  for (const one of smallerFlows(flow)) yield { flow: one, way };
  for (const [name, value] of Object.entries(way)) {
    if (name === "mode") continue;
    const { [name]: _, ...rest } = way as unknown as Record<string, unknown>;
    yield { flow, way: rest as unknown as Case["way"] };
    if (!Array.isArray(value)) continue;
    for (const list of smallerLists(value)) yield { flow, way: { ...way, [name]: list } };
    if (name === "answers" && value.some((one) => one !== 1))
      yield { flow, way: { ...way, answers: value.map(() => 1) } };
  }
  for (const [n, stop] of (way.stops ?? []).entries()) {
    for (const at of [1, Math.floor(stop.at / 2), stop.at - 1]) {
      if (at < 1 || at >= stop.at) continue;
      yield { flow, way: { ...way, stops: (way.stops ?? []).map((other, m) => (m === n ? { ...stop, at } : other)) } };
    }
  }
  if (way.durability === "exit") yield { flow, way: { ...way, durability: "step" } };
  if (way.mode !== "invoke") yield { flow, way: { ...way, mode: way.mode === "transform" ? "stream" : "invoke" } };
}

function* smallerFlows(flow: FlowSpec): Generator<FlowSpec> {
  for (const { flow: inner } of flow.nodes) if (inner !== undefined) yield inner;
  for (const nodes of smallerLists(flow.nodes)) if (nodes.length > 0) yield { ...flow, nodes };
  for (const [n, node] of flow.nodes.entries()) {
    for (const one of smallerNodes(node))
      yield { ...flow, nodes: flow.nodes.map((other, m) => (m === n ? one : other)) };
  }
  if (flow.compiled) yield { builder: flow.builder, nodes: flow.nodes };
  const simpler = {
    chain: [],
    graph: ["chain"],
    levels: ["chain", "graph"],
    dag: ["chain", "graph", "levels"],
    workflow: ["dag", "graph", "chain"],
  } as const;
  for (const builder of simpler[flow.builder]) yield { ...flow, builder };
}

const simpleKinds: readonly NodeSpec["kind"][] = ["value", "stream", "collect"];

function* smallerNodes(node: NodeSpec): Generator<NodeSpec> {
  for (const name of Object.keys(node)) {
    if (name === "kind") continue;
    const { [name]: _, ...rest } = node as unknown as Record<string, unknown>;
    yield rest as unknown as NodeSpec;
  }
  for (const kind of simpleKinds) {
    if (kind === node.kind) break;
    const { flow: _, ...rest } = node;
    yield { ...rest, kind };
  }
  if (node.flow !== undefined) for (const flow of smallerFlows(node.flow)) yield { ...node, flow };
  if (node.kind === "child" && node.flow !== undefined) yield { ...node, kind: "flow" };
  for (const [name, value] of Object.entries(node)) {
    if (typeof value === "number" && value > 1) {
      yield { ...node, [name]: 1 };
      if (value > 2) yield { ...node, [name]: 2 };
    }
    if (Array.isArray(value)) for (const list of smallerLists<unknown>(value)) yield { ...node, [name]: list };
  }
  if (node.reads !== undefined) {
    for (const [n, read] of node.reads.entries()) {
      const put = (one: typeof read): NodeSpec => ({
        ...node,
        reads: (node.reads ?? []).map((other, m) => (m === n ? one : other)),
      });
      if (read.how !== undefined) yield put({ from: read.from });
      if (read.from > 0) yield put({ ...read, from: read.from - 1 });
    }
  }
  for (const name of ["fails", "hangs", "branch", "chosen"] as const) {
    const value = node[name];
    if (value === undefined) continue;
    for (const flag of ["mid", "deaf", "stream", "whim"]) {
      if (!(flag in value)) continue;
      const { [flag]: _, ...rest } = value as unknown as Record<string, unknown>;
      yield { ...node, [name]: rest };
    }
    for (const number of ["times", "takes", "targets", "from"]) {
      const now = (value as unknown as Record<string, unknown>)[number];
      if (typeof now === "number" && now > 1)
        yield { ...node, [name]: { ...value, [number]: now === 99 ? 1 : now - 1 } };
      if (number === "from" && now === 1) yield { ...node, [name]: { ...value, [number]: 0 } };
    }
  }
}

function* smallerLists<T>(list: readonly T[]): Generator<readonly T[]> {
  if (list.length > 2) {
    yield list.slice(0, list.length >> 1);
    yield list.slice(list.length >> 1);
  }
  for (let n = 0; n < list.length; n++) yield list.toSpliced(n, 1);
}

/** The smallest case that is found that is wrong in the same way. */
export async function shrunk(one: Case, isWrong: (one: Case) => Promise<boolean>, most = 1_500): Promise<Case> {
  let best = one;
  let tries = 0;
  for (let found = true; found && tries < most; ) {
    found = false;
    for (const candidate of smaller(best)) {
      if (tries++ >= most) break;
      if (!(await isWrong(candidate))) continue;
      best = candidate;
      found = true;
      break;
    }
  }
  return best;
}
