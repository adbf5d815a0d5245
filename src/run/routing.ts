import { END_INDEX, START_INDEX } from "../compose/plan/plan.js";
import { isPromiseLike } from "../is.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { unknownBranchTarget } from "./errors.js";
import type { BranchRoute } from "./routes.js";
import type { Run } from "./run.js";
import { oneChunk } from "./streams/joining.js";
import { Task } from "./task.js";

/** Where the output of a task goes: one node, or several (perhaps none) in order of declaration. */
export type Targets = number | readonly number[];

/**
 * Decides where the output of a task goes: along its edges, and where its branches choose. On streams each branch gets a
 * copy, and the task keeps one to hand on.
 */
export function choose(run: Run, task: Task): Targets | PromiseLike<Targets> {
  const { plain, branches } = run.program.routes[task.index] ?? { plain: [], branches: [] };
  const [only] = branches;
  if (only === undefined) return plain;
  if (run.mode === "transform") return chooseByStream(run, task, branches, plain);
  if (branches.length > 1 || plain.length > 0) return chooseAll(run, task, branches, plain);
  const answer = ask(only, task);
  if (typeof answer === "string") return findTarget(run, task.index, only, answer);
  if (isPromiseLike(answer)) return answer.then((ready) => targetsOf(run, task.index, branches, [ready], plain));
  return targetsOf(run, task.index, branches, [answer], plain);
}

function ask({ choose, stream }: BranchRoute, task: Task): unknown {
  const { output, owner } = task;
  // remembered only where the branch may be asked again
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
  task.output = copies[branches.length];
  const asked = branches.map((branch, n) => askByStream(branch, copies[n] as StreamReader<unknown>, task));
  return targetsOf(run, task.index, branches, await Promise.all(asked), plain);
}

/** Whatever the choice leaves unread of its copy is let go. */
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
