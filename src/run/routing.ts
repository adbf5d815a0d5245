import type { NodeFailure } from "../components/policies.js";
import { checksRest, END_INDEX, START_INDEX } from "../compose/plan/plan.js";
import { isPromiseLike } from "../is.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { unknownBranchTarget } from "./errors.js";
import type { BranchRoute, Route, Targets } from "./routes.js";
import type { Run } from "./run.js";
import { oneChunk } from "./streams/joining.js";
import { Task } from "./task.js";

/**
 * Decides where the output of a task goes: along its edges, and to what its branches choose. In a run on streams each branch
 * reads a copy, and one more copy becomes the task's output.
 */
export function choose(run: Run, task: Task): Targets | PromiseLike<Targets> {
  const route = run.program.routes[task.index] ?? noRoute;
  if (task.failure !== undefined) return chooseForFailure(run, task, task.failure, route);
  const { plain, branches, sole } = route;
  if (sole !== undefined && run.mode !== "transform") return chooseOne(run, task, sole);
  if (branches.length === 0) return plain;
  if (run.mode === "transform") return chooseByStream(run, task, branches, plain);
  return chooseAll(run, task, branches, plain);
}

function chooseOne(run: Run, task: Task, sole: BranchRoute): Targets | PromiseLike<Targets> {
  const answer = ask(sole, task);
  if (typeof answer === "string") return findTarget(run, task.index, sole, answer);
  if (isPromiseLike(answer)) return answer.then((ready) => targetsOf(run, task.index, [sole], [ready], []));
  return targetsOf(run, task.index, [sole], [answer], []);
}

/** If the error branch chooses nothing, the failure is thrown again. */
function chooseForFailure(
  run: Run,
  task: Task,
  failure: NodeFailure,
  { failure: branch, failureEdges }: Pick<Route, "failure" | "failureEdges">,
): Targets | PromiseLike<Targets> {
  const answer = branch?.choose(failure as never, task.routeContext as never);
  const targetOf = (key: unknown): Targets => {
    if (branch === undefined || key === undefined) throw failure.error;
    const target = findTarget(run, task.index, branch, key);
    task.span?.event({ kind: "branch", targets: [key] });
    if (failureEdges === undefined) return target;
    return [...failureEdges.keys(), ...(target === END_INDEX ? [] : [target])].sort((a, b) => a - b);
  };
  return isPromiseLike(answer) ? answer.then(targetOf) : targetOf(answer);
}

const noRoute = { plain: [], branches: [], sole: undefined, failure: undefined, failureEdges: undefined };

function ask({ choose, stream }: BranchRoute, task: Task): unknown {
  const { output, owner } = task;
  // only a run that can be resumed may call the branch again, and needs to find its context
  const ctx = owner.ledger === undefined ? new Task(owner, task.index) : task.routeContext;
  return choose((stream ? oneChunk(output, undefined) : output) as never, ctx as never);
}

function chooseAll(
  run: Run,
  task: Task,
  branches: readonly BranchRoute[],
  plain: readonly number[],
): Targets | Promise<Targets> {
  const answers: unknown[] = [];
  try {
    for (const branch of branches) answers.push(ask(branch, task));
  } catch (error) {
    for (const answer of answers) if (isPromiseLike(answer)) answer.then(undefined, ignore);
    throw error;
  }
  if (!answers.some(isPromiseLike)) return targetsOf(run, task.index, branches, answers, plain);
  return Promise.all(answers).then((ready) => targetsOf(run, task.index, branches, ready, plain));
}

async function chooseByStream(
  run: Run,
  task: Task,
  branches: readonly BranchRoute[],
  plain: readonly number[],
): Promise<Targets> {
  const copies = (task.output as StreamReader<unknown>).copy(branches.length + 1);
  task.output = withChecks(copies[branches.length] as StreamReader<unknown>, branches);
  const asked = branches.map((branch, n) => askByStream(branch, copies[n] as StreamReader<unknown>, task));
  return targetsOf(run, task.index, branches, await Promise.all(asked), plain);
}

/** The output to hand on, with the checks of stream branches that chose before its end. */
function withChecks(output: StreamReader<unknown>, branches: readonly BranchRoute[]): StreamReader<unknown> {
  let reader = output;
  for (const { choose, stream } of branches) {
    const check = stream ? choose[checksRest]?.() : undefined;
    if (check === undefined) continue;
    reader = reader.filter((chunk) => {
      check(chunk as never);
      return true;
    });
  }
  return reader;
}

/** Calls a branch with its copy of the stream; what it leaves unread is cancelled. */
async function askByStream(branch: BranchRoute, copy: StreamReader<unknown>, task: Task): Promise<unknown> {
  try {
    const given = branch.stream ? copy : await copy.concat();
    task.scope.throwIfAborted();
    return await branch.choose(given as never, task.routeContext as never);
  } finally {
    void copy.cancel();
  }
}

function targetsOf(
  run: Run,
  index: number,
  branches: readonly BranchRoute[],
  answers: readonly unknown[],
  plain: readonly number[],
): Targets {
  if (run.program.isWired) return wiredTargets(run, index, branches, answers, plain);
  const [only] = answers;
  const [first] = branches;
  if (answers.length === 1 && plain.length === 0 && first !== undefined && typeof only === "string")
    return findTarget(run, index, first, only);
  const targets = new Set(plain);
  for (const [n, branch] of branches.entries()) {
    for (const key of keysOf(answers[n])) targets.add(findTarget(run, index, branch, key));
  }
  return [...targets].sort((a, b) => a - b);
}

/** A node that gets data along an edge and is also chosen by a branch is listed twice: readiness counts them separately. */
function wiredTargets(
  run: Run,
  index: number,
  branches: readonly BranchRoute[],
  answers: readonly unknown[],
  plain: readonly number[],
): Targets {
  const chosen = new Set<number>();
  for (const [n, branch] of branches.entries()) {
    for (const key of keysOf(answers[n])) chosen.add(findTarget(run, index, branch, key));
  }
  chosen.delete(END_INDEX);
  return [...plain, ...chosen].sort((a, b) => a - b);
}

function findTarget(run: Run, index: number, branch: BranchRoute, key: unknown): number {
  const target = branch.find(key);
  if (target === -1) throw unknownBranchTarget(run.pathOf(index), index === START_INDEX, key, branch.keys);
  return target;
}

function keysOf(answer: unknown): Iterable<unknown> {
  if (Array.isArray(answer) || answer instanceof Set) return answer;
  return [answer];
}

/** The keys of nodes, for error messages. */
export function namesOf(run: Run, indexes: readonly number[]): string[] {
  return indexes.filter((index) => index > END_INDEX).map((index) => run.program.keys[index] ?? "");
}

function ignore(): void {}

export function indexesOf(tasks: readonly Task[]): number[] {
  return tasks.map(({ index }) => index);
}

/** Sorts in order of declaration. Usually they already are. */
export function sortByIndex(tasks: Task[]): void {
  for (let n = 1; n < tasks.length; n++) {
    if ((tasks[n - 1] as Task).index <= (tasks[n] as Task).index) continue;
    tasks.sort((a, b) => a.index - b.index);
    return;
  }
}
