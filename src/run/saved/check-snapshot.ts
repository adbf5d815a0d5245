import { kindHasChanged, nodeIsGone, stepsHaveChanged, valueHasChanged } from "../../checkpoint/checkpoint-errors.js";
import type { ChainStep, InvocationSnapshot, RunSnapshot, TaskSnapshot } from "../../checkpoint/document/snapshot.js";
import {
  END,
  END_INDEX,
  LONE_INDEX,
  type NodeSettings,
  START,
  START_INDEX,
  type ValueCheck,
} from "../../compose/plan/plan.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { automaticKey, type Program } from "../program.js";

/** Throws `GRAPH_CHANGED` if a run cannot continue in this graph: a node that it needs is gone or has another kind. */
export function checkKinds(snapshot: RunSnapshot, program: Program, path: readonly string[]): void {
  checkChain(snapshot, program.chain, path);
  for (const task of snapshot.tasks) {
    const at = [...path, task.node];
    checkNode(task, program, at);
    for (const target of task.targets ?? []) {
      if (target !== END && program.indexOf(target) === undefined) throw nodeIsGone([...path, target]);
    }
    const nested = program.nested.get(program.indexOf(task.node) ?? START_INDEX);
    if (nested !== undefined && task.visit !== undefined) checkInside(task.visit, nested, at);
  }
}

/** Checks the graph inside a node, also one that is run for each item. */
function checkInside(invocation: InvocationSnapshot, program: Program, path: readonly string[]): void {
  if (!program.plan.bare) {
    const inner = invocation.inner.find(({ key }) => key === "")?.run;
    if (inner !== undefined) checkKinds(inner, program, path);
    return;
  }
  const nested = program.nested.get(LONE_INDEX);
  if (nested === undefined) return;
  for (const { visit } of invocation.calls) if (visit !== undefined) checkInside(visit, nested, path);
}

function checkNode({ node, kind }: TaskSnapshot, program: Program, at: readonly string[]): void {
  if (node === START) return;
  const index = program.indexOf(node);
  if (index === undefined) throw nodeIsGone(at);
  const now = program.plan.nodes[index]?.component ?? "";
  if (now !== kind) throw kindHasChanged(at, kind, now);
}

/** Whether a graph, or one nested in it, has schemas to check values with. */
export function checksValues({ plan, nested }: Program): boolean {
  if ((plan.checkInput ?? plan.checkOutput) !== undefined) return true;
  for (const inner of nested.values()) if (checksValues(inner)) return true;
  return false;
}

/** Throws `GRAPH_CHANGED` for saved values that are yet to be used and do not fit the graph's current schemas. */
export async function checkValues(snapshot: RunSnapshot, program: Program, path: readonly string[]): Promise<void> {
  const { checkInput, checkOutput } = program.plan;
  for (const task of snapshot.tasks) {
    const at = [...path, task.node];
    const index = program.indexOf(task.node) ?? START_INDEX;
    if (task.output !== undefined) {
      // it was parsed when the run began, so a schema that transforms values cannot check it again
      if (task.node === START && keepsValues(checkInput)) await check(checkInput, task.output.value, path, "input");
      for (const target of soleTargets(task, program)) {
        if (target === END_INDEX) await check(checkOutput, task.output.value, path, "output");
        else await checkNext(program, target, task.output.value, path);
      }
    }
    const inner = nestedOf(task);
    const nested = program.nested.get(index);
    if (inner !== undefined && nested !== undefined) await checkValues(inner, nested, at);
  }
}

/** Whether a schema returns values unchanged, judging by its JSON Schemas for input and output. */
export function keepsValues(check: ValueCheck | undefined): boolean {
  if (check?.schema === undefined) return false;
  const schema = check.schema as JsonSchema;
  try {
    const [input, output] = [toJsonSchema(schema), toJsonSchema(schema, { side: "output" })].map(withoutStrictness);
    return JSON.stringify(input) === JSON.stringify(output);
  } catch {
    return false;
  }
}

/** Only the output form forbids other properties; that alone does not mean that values change. */
function withoutStrictness(schema: JsonSchema): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "additionalProperties" ? undefined : value)));
}

/** The nodes whose whole input is this output, unchanged. */
function soleTargets({ node, targets }: TaskSnapshot, program: Program): readonly number[] {
  const indexes =
    targets?.map((key) => (key === END ? END_INDEX : (program.indexOf(key) ?? START_INDEX))) ??
    // not routed yet: the choice of a branch is not known
    program.routes[program.indexOf(node) ?? START_INDEX]?.plain ??
    [];
  // a workflow maps outputs to other values
  if (program.isWired) return [];
  return indexes.filter((index) => index !== START_INDEX && program.sources[index]?.length === 1);
}

async function checkNext(program: Program, index: number, value: unknown, path: readonly string[]): Promise<void> {
  const node = program.plan.nodes[index];
  const nested = program.nested.get(index);
  if (node === undefined || nested === undefined || !takesUnchanged(node.settings)) return;
  await check(nested.plan.checkInput, value, [...path, node.key], "input");
}

function takesUnchanged({ inputKey, before, streamBefore, merge }: NodeSettings): boolean {
  return inputKey === undefined && before === undefined && streamBefore === undefined && merge === undefined;
}

async function check(
  validate: ValueCheck | undefined,
  value: unknown,
  path: readonly string[],
  what: string,
): Promise<void> {
  try {
    await validate?.(value);
  } catch (cause) {
    throw valueHasChanged(path, what, cause);
  }
}

function nestedOf({ visit }: TaskSnapshot): RunSnapshot | undefined {
  return visit?.inner.find(({ key }) => key === "")?.run;
}

/**
 * Throws `GRAPH_CHANGED` if the run needs a step with an automatic key, and the steps up to that one have changed, or may have:
 * where steps were added, and the one at the same distance from the end looks the same, nobody can tell where they were added.
 */
function checkChain(
  { chain: saved, tasks }: RunSnapshot,
  now: readonly ChainStep[] | undefined,
  path: readonly string[],
): void {
  if (saved === undefined) return;
  const needed = new Set(tasks.flatMap(({ node, done, targets = [] }) => (done ? targets : [node])));
  for (let n = saved.length - 1; n >= 0; n--) {
    const [key = ""] = saved[n] ?? [];
    if (!automaticKey.test(key) || !needed.has(key)) continue;
    const steps = now ?? [];
    const isShifted = steps.length !== saved.length && isSameStep(saved[n], steps[n + steps.length - saved.length]);
    const isSame = saved.slice(0, n + 1).every((step, at) => isSameStep(step, steps[at]) && step[0] === steps[at]?.[0]);
    if (!isSame || isShifted) throw stepsHaveChanged([...path, key]);
    return;
  }
}

/** Whether two steps have one kind and one name. Many functions have no name, so the same step may look like another one. */
function isSameStep(one: ChainStep | undefined, other: ChainStep | undefined): boolean {
  return one !== undefined && other !== undefined && one[1] === other[1] && one[2] === other[2];
}
