import { END_INDEX, type PlanNode, START_INDEX } from "../../compose/plan/plan.js";
import type { Runtime } from "../../compose/runtime.js";
import { nativeFor, nativesOf } from "../body.js";
import type { Route } from "../routes.js";
import type { DeclaredJoining } from "./joining.js";

/** The parts of a `Program` that are used here. */
export interface PortProgram {
  readonly plan: { readonly nodes: readonly PlanNode[]; readonly runtime: Runtime };
  readonly routes: readonly Route[];
  readonly sources: readonly (readonly number[])[];
  readonly nested: ReadonlyMap<number, PortProgram>;
  /** By node: see {@link givesChunks}, which fills it. */
  readonly chunkGivers: (boolean | undefined)[];
}

/** A node of a program. */
export interface NodePlace {
  readonly program: PortProgram;
  readonly index: number;
}

/** Whether the stream of a node has a reader that takes it chunk by chunk: then it is saved as chunks. */
export function givesChunks(program: PortProgram, index: number): boolean {
  program.chunkGivers[index] ??= takesChunks(program, index);
  return program.chunkGivers[index];
}

function takesChunks(program: PortProgram, index: number, seen = new Set<string>()): boolean {
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

/** The position of a nested program: the keys that lead to it, and how its input stream joins. */
interface Position {
  readonly path: readonly string[];
  readonly input: DeclaredJoining | undefined;
}

const top: Position = { path: [], input: undefined };

/** How the stream of a node joins; `undefined` if that depends on its input. */
export function joiningAt(
  program: PortProgram,
  index: number,
  position = top,
  seen = new Set<number>(),
): DeclaredJoining | undefined {
  const node = program.plan.nodes[index];
  if (index === START_INDEX) return position.input;
  if (node === undefined || seen.has(index)) return undefined;
  seen.add(index);
  const own = joiningOfBody(program, index, node, position, seen);
  const { outputKey } = node.settings;
  if (outputKey === undefined || own === undefined) return own;
  return { ...own, rule: { keyed: new Map([[outputKey, own]]) } };
}

function joiningOfBody(
  program: PortProgram,
  index: number,
  { settings, body, key }: PlanNode,
  position: Position,
  seen: Set<number>,
): DeclaredJoining | undefined {
  const isPassedOn = settings.concat === undefined && (body.kind === "passthrough" || body.kind === "graph");
  const path = [...position.path, key];
  if (!isPassedOn) {
    return { rule: settings.concat, registry: program.plan.runtime.concat, where: `node "${key}"`, path };
  }
  if (settings.inputKey !== undefined) return undefined;
  const inner = program.nested.get(index);
  const input = joiningOfInput(program, index, position, seen);
  return inner === undefined ? input : joiningOfInput(inner, END_INDEX, { path, input });
}

/** How the input stream of a node joins, if it is the unchanged stream of a single source. */
export function joiningOfInput(
  program: PortProgram,
  index: number,
  position = top,
  seen = new Set<number>(),
): DeclaredJoining | undefined {
  if (program.plan.nodes[index]?.input !== undefined) return undefined;
  const [source, ...others] = program.sources[index] ?? [];
  // a failure is not part of its node's stream
  const isFailure = program.routes[source ?? START_INDEX]?.failure?.targets.includes(index) === true;
  return source === undefined || others.length > 0 || isFailure
    ? undefined
    : joiningAt(program, source, position, seen);
}
