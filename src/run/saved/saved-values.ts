import type { InvocationSnapshot, RunSnapshot, Slot, TaskSnapshot } from "../../checkpoint/document/snapshot.js";
import { END, END_INDEX, START } from "../../compose/plan/plan.js";
import type { Program } from "../program.js";

/** The input of a run, while that is kept. */
export function inputOf(root: RunSnapshot | undefined): Slot | undefined {
  const start = root?.tasks.find(({ node }) => node === START);
  return start === undefined ? undefined : slotOf(start);
}

export function stateAt(root: RunSnapshot | undefined, path: string): unknown {
  return runAt(root, path === "" ? [] : path.split("/"))?.state?.value;
}

export function outputAt(root: RunSnapshot | undefined, path: string): unknown {
  const found = path === "" ? root?.tasks.find(({ targets }) => targets?.includes(END)) : taskAt(root, path)?.task;
  return found === undefined ? undefined : slotOf(found)?.value;
}

/** The paths of nodes that a resume starts or re-enters. */
export function nextNodes({ tasks, base }: RunSnapshot, program: Program, around = ""): string[] {
  const done = new Set(tasks.filter((task) => task.done).map(({ node, step }) => `${step} ${node}`));
  const found = new Map<string, readonly string[]>();
  for (const task of tasks) {
    const path = around === "" ? task.node : `${around}/${task.node}`;
    if (!task.done) {
      found.set(task.node, inside(task.visit, program.nested.get(program.indexOf(task.node) ?? -1), path));
      continue;
    }
    const step = base === 0 && task.step === 0 && program.plan.triggerMode === "allPredecessor" ? 0 : task.step + 1;
    for (const target of targetsOf(task, program)) {
      if (done.has(`${step} ${target}`) || found.has(target)) continue;
      found.set(target, [around === "" ? target : `${around}/${target}`]);
    }
  }
  const waits = (key: string): boolean =>
    program.plan.triggerMode === "allPredecessor" &&
    (program.sources[program.indexOf(key) ?? -1] ?? []).some((source) => found.has(program.keys[source] ?? ""));
  return [...found].filter(([key]) => !waits(key)).flatMap(([, paths]) => paths);
}

function inside(visit: InvocationSnapshot | undefined, nested: Program | undefined, path: string): readonly string[] {
  const run = visit?.inner.find(({ key }) => key === "")?.run;
  const paths = run === undefined || nested === undefined ? [] : nextNodes(run, nested, path);
  return paths.length === 0 ? [path] : paths;
}

/** The targets of an output, as far as they are decided. */
function targetsOf({ node, targets }: TaskSnapshot, program: Program): readonly string[] {
  if (targets !== undefined) return targets.filter((target) => target !== END);
  const index = node === START ? program.keys.indexOf(START) : program.indexOf(node);
  const plain = index === undefined ? [] : (program.routes[index]?.plain ?? []);
  return plain.filter((target) => target !== END_INDEX).map((target) => program.keys[target] ?? "");
}

/** Replaces outputs that no node has read; throws `errorFor` a path without such an output. */
export function editOutputs(
  root: RunSnapshot,
  outputs: Readonly<Record<string, unknown>>,
  errorFor: (path: string) => Error,
): void {
  for (const [path, value] of Object.entries(outputs)) {
    const found = taskAt(root, path);
    if (found === undefined || slotOf(found.task) === undefined || isRead(found.task, found.run)) throw errorFor(path);
    found.task.output = { value };
    found.task.chunks = undefined;
    found.task.unjoinable = undefined;
  }
}

/** Whether one of its targets has started. */
function isRead({ targets = [], step }: TaskSnapshot, { tasks }: RunSnapshot): boolean {
  return tasks.some((task) => targets.includes(task.node) && (task.step === 0 || task.step > step));
}

function taskAt(
  root: RunSnapshot | undefined,
  path: string,
): { readonly task: TaskSnapshot; readonly run: RunSnapshot } | undefined {
  const keys = path.split("/");
  const run = runAt(root, keys.slice(0, -1));
  const task = run?.tasks.findLast(({ node, done }) => done && node === keys.at(-1));
  return run === undefined || task === undefined ? undefined : { task, run };
}

/** The unfinished run of the graph at a path of node keys. */
function runAt(root: RunSnapshot | undefined, keys: readonly string[]): RunSnapshot | undefined {
  let run = root;
  for (const key of keys) {
    const task = run?.tasks.findLast(({ node, visit }) => node === key && visit !== undefined);
    run = task?.visit?.inner.find((inner) => inner.key === "")?.run;
  }
  return run;
}

function slotOf({ output, chunks }: TaskSnapshot): Slot | undefined {
  return output ?? (chunks === undefined ? undefined : { value: chunks });
}

/** Gives open questions new ids, so that answers to the original do not apply to a copy. */
export function renewQuestions(run: RunSnapshot, newId: () => string): void {
  if (run.stop !== undefined && run.stop.answer === undefined) run.stop.id = newId();
  for (const { visit, route } of run.tasks) {
    for (const invocation of [visit, route]) if (invocation !== undefined) renewInside(invocation, newId);
  }
}

function renewInside({ questions, inner, calls }: InvocationSnapshot, newId: () => string): void {
  for (const question of questions) if (question.answer === undefined) question.id = newId();
  for (const { run } of inner) if (run !== undefined) renewQuestions(run, newId);
  for (const { visit } of calls) if (visit !== undefined) renewInside(visit, newId);
}
