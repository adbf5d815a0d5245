import { kindHasChanged, nodeIsGone, valueHasChanged } from "../interrupt/errors.js";
import type { RunSnapshot, TaskSnapshot } from "../interrupt/snapshot.js";
import { END, START, START_INDEX } from "../plan/plan.js";
import type { Program } from "./program.js";

/** Throws `GRAPH_CHANGED` when a run cannot go on in this graph: a node it needs is gone, or is something else now. */
export function checkKinds(snapshot: RunSnapshot, program: Program, path: readonly string[]): void {
  for (const task of snapshot.tasks) {
    const at = [...path, task.node];
    checkNode(task, program, at);
    for (const target of task.targets ?? []) {
      if (target !== END && program.indexOf(target) === undefined) throw nodeIsGone([...path, target]);
    }
    const inner = nestedOf(task);
    if (inner === undefined) continue;
    const nested = program.nested.get(program.indexOf(task.node) ?? START_INDEX);
    if (nested !== undefined) checkKinds(inner, nested, at);
  }
}

function checkNode({ node, kind }: TaskSnapshot, program: Program, at: readonly string[]): void {
  if (node === START) return;
  const index = program.indexOf(node);
  if (index === undefined) throw nodeIsGone(at);
  const now = program.plan.nodes[index]?.component ?? "";
  if (now !== kind) throw kindHasChanged(at, kind, now);
}

/** The same for inputs that were saved before they were used: they must fit the schema that the graph has now. */
export async function checkInputs(snapshot: RunSnapshot, program: Program, path: readonly string[]): Promise<void> {
  const { checkInput } = program.plan;
  for (const task of snapshot.tasks) {
    if (task.node === START && task.output !== undefined && checkInput !== undefined) {
      try {
        await checkInput(task.output.value);
      } catch (cause) {
        throw valueHasChanged(path, "input", cause);
      }
    }
    const inner = nestedOf(task);
    const nested = program.nested.get(program.indexOf(task.node) ?? START_INDEX);
    if (inner !== undefined && nested !== undefined) await checkInputs(inner, nested, [...path, task.node]);
  }
}

function nestedOf({ visit }: TaskSnapshot): RunSnapshot | undefined {
  return visit?.inner.find(({ key }) => key === "")?.run;
}
