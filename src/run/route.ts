import { END_INDEX, START_INDEX } from "../compose/plan/plan.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { isPromiseLike } from "./async.js";
import { unknownBranchTarget } from "./errors.js";
import { movesStreams } from "./flow.js";
import { oneChunk } from "./node-stream.js";
import type { BranchRoute } from "./program.js";
import type { Run } from "./run.js";
import { TaskContext } from "./task-context.js";

/** What the branches behind a node answered, in order; some may be promises. */
export type Answers = readonly unknown[];

/** Asks all branches behind a node. On streams each gets a copy; the output to go on with comes back. */
export function ask(
  run: Run,
  index: number,
  output: unknown,
  ctx = new TaskContext(run, index),
): { answers: Answers; output: unknown } {
  const { branches } = run.program.routes[index] ?? { branches: [] };
  if (!movesStreams(run)) {
    return { answers: askWithValue(branches, output, ctx), output };
  }
  const copies = (output as StreamReader<unknown>).copy(branches.length + 1);
  const answers = branches.map((branch, n) => askWithStream(branch, copies[n] as StreamReader<unknown>, ctx));
  return { answers, output: copies[branches.length] };
}

function askWithValue(branches: readonly BranchRoute[], value: unknown, ctx: TaskContext): unknown[] {
  const answers: unknown[] = [];
  for (const branch of branches) {
    const given = branch.stream ? oneChunk(value, undefined) : value;
    try {
      const answer = branch.choose(given as never, ctx as never);
      answers.push(isPromiseLike(answer) ? located(answer, ctx) : answer);
    } catch (error) {
      for (const answer of answers) if (isPromiseLike(answer)) answer.then(undefined, ignore);
      throw error;
    }
  }
  return answers;
}

/** Several branches may be asked at a time: a failure knows which one it is of. */
async function located(answer: PromiseLike<unknown>, ctx: TaskContext): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    throw ctx.owner.blame(error, ctx.index);
  }
}

/** An answer that nobody waits for any more. */
function ignore(): void {}

/** Whatever the choice leaves unread of its copy is let go. */
async function askWithStream(branch: BranchRoute, copy: StreamReader<unknown>, ctx: TaskContext): Promise<unknown> {
  try {
    const given = branch.stream ? copy : await copy.concat();
    ctx.scope.throwIfAborted();
    return await branch.choose(given as never, ctx as never);
  } catch (error) {
    throw ctx.owner.blame(await ctx.owner.findOrigin(error), ctx.index);
  } finally {
    void copy.cancel();
  }
}

/** Whether some branch has not answered yet. */
export function anyPending(answers: Answers): boolean {
  return answers.some(isPromiseLike);
}

/** The nodes that get the output: those behind plain edges and those that were chosen, once each, in order of declaration. */
export function targetsOf(run: Run, index: number, answers: Answers): readonly number[] {
  const route = run.program.routes[index];
  if (route === undefined || answers.length === 0) return route?.plain ?? [];
  const [first] = route.branches;
  const [only] = answers;
  if (answers.length === 1 && route.plain.length === 0 && first !== undefined && typeof only === "string") {
    return [findTarget(run, index, first, only)];
  }
  const targets = new Set(route.plain);
  answers.forEach((answer, n) => {
    const branch = route.branches[n];
    if (branch === undefined) return;
    for (const key of keysOf(answer)) targets.add(findTarget(run, index, branch, key));
  });
  return [...targets].sort((a, b) => a - b);
}

export function findTarget(run: Run, index: number, branch: BranchRoute, key: unknown): number {
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
