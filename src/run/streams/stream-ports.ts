import { END_INDEX, type PlanNode, START_INDEX } from "../../compose/plan/plan.js";
import type { Runtime } from "../../compose/runtime.js";
import { nativeFor, nativesOf } from "../body.js";
import type { Route } from "../routes.js";
import type { DeclaredJoining } from "./joining.js";

/** What these need of a program. */
export interface PortProgram {
  readonly plan: { readonly nodes: readonly PlanNode[]; readonly runtime: Runtime };
  readonly routes: readonly Route[];
  readonly sources: readonly (readonly number[])[];
  readonly nested: ReadonlyMap<number, PortProgram>;
}

/** Whether somebody who gets the stream of a node takes it chunk by chunk: then it is saved as chunks. */
export function takesChunks(program: PortProgram, index: number, seen = new Set<string>()): boolean {
  const route = program.routes[index];
  if (route === undefined) return false;
  return route.branches.some(({ stream }) => stream) || route.all.some((target) => readsChunks(program, target, seen));
}

function readsChunks(program: PortProgram, index: number, seen: Set<string>): boolean {
  if (index === END_INDEX) return true;
  const node = program.plan.nodes[index];
  if (node === undefined || node.settings.before !== undefined) return false;
  if (node.settings.streamBefore !== undefined) return true;
  const { body } = node;
  if (body.kind === "map" || body.kind === "each") return true;
  if (body.kind !== "passthrough" && body.kind !== "graph") {
    const native = nativeFor("transform", nativesOf(body));
    return native === "transform" || native === "collect";
  }
  const name = `${node.key} ${index}`;
  if (seen.has(name)) return false;
  seen.add(name);
  const inner = program.nested.get(index);
  return inner === undefined ? takesChunks(program, index, seen) : takesChunks(inner, START_INDEX);
}

/** Where a program stands: the keys on the way to it, and how streams to it join. */
interface Surroundings {
  readonly path: readonly string[];
  readonly input: DeclaredJoining | undefined;
}

const top: Surroundings = { path: [], input: undefined };

/** How the stream of a node joins; `undefined` where that depends on what is delivered to it. */
export function joiningAt(
  program: PortProgram,
  index: number,
  around = top,
  seen = new Set<number>(),
): DeclaredJoining | undefined {
  const node = program.plan.nodes[index];
  if (index === START_INDEX) return around.input;
  if (node === undefined || seen.has(index)) return undefined;
  seen.add(index);
  const own = joiningOfBody(program, index, node, around, seen);
  const { outputKey } = node.settings;
  if (outputKey === undefined || own === undefined) return own;
  return { ...own, rule: { keyed: new Map([[outputKey, own]]) } };
}

function joiningOfBody(
  program: PortProgram,
  index: number,
  { settings, body, key }: PlanNode,
  around: Surroundings,
  seen: Set<number>,
): DeclaredJoining | undefined {
  const isPassedOn = settings.concat === undefined && (body.kind === "passthrough" || body.kind === "graph");
  const path = [...around.path, key];
  if (!isPassedOn) {
    return { rule: settings.concat, registry: program.plan.runtime.concat, where: `node "${key}"`, path };
  }
  if (settings.inputKey !== undefined) return undefined;
  const inner = program.nested.get(index);
  const input = joiningOfInput(program, index, around, seen);
  return inner === undefined ? input : joiningOfInput(inner, END_INDEX, { path, input });
}

/** How streams to a node join, if it has only one source, whose stream it gets as it is. */
export function joiningOfInput(
  program: PortProgram,
  index: number,
  around = top,
  seen = new Set<number>(),
): DeclaredJoining | undefined {
  if (program.plan.nodes[index]?.input !== undefined) return undefined;
  const [source, ...others] = program.sources[index] ?? [];
  // a failure is not part of its node's stream
  const isFailure = program.routes[source ?? START_INDEX]?.failure?.targets.includes(index) === true;
  return source === undefined || others.length > 0 || isFailure ? undefined : joiningAt(program, source, around, seen);
}
