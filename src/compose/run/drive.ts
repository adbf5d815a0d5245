import { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import { END_INDEX } from "../plan/plan.js";
import { isPromiseLike } from "./async.js";
import type { Body } from "./body.js";
import { collect } from "./collect.js";
import { withKey } from "./flow.js";
import { rejoin } from "./node-stream.js";
import { openWatch } from "./observe.js";
import { type Inline, joiningsOf } from "./program.js";
import type { Run } from "./run.js";
import { goOn, leave, resumeSupersteps, stepLimit } from "./supersteps.js";
import { TaskContext } from "./task-context.js";

/**
 * The one async loop of a run, entered at its first promise. It has the lane of `supersteps.ts` once more, with `await` in
 * it: leaving and entering an async function for every node would double the cost of a node.
 */
export async function drive(run: Run): Promise<unknown> {
  const { bodies, maxSteps, program } = run;
  const { next } = program;
  try {
    for (;;) {
      let value: unknown = await run.pending;
      if (run.aborted) throw run.reason;
      if (run.waiting !== "node" || streams(value)) {
        if (resumeSupersteps(run, value)) return run.complete(run.result);
        continue;
      }
      let index = run.at;
      for (;;) {
        let target = next[index] as number;
        if (target <= END_INDEX) {
          value = withKey(run, index, value);
          target = leave(run, index, value);
          if (target <= END_INDEX) {
            if (goOn(run, target, value)) return run.complete(run.result);
            break;
          }
        }
        if (run.steps === maxSteps) throw stepLimit(run, [target]);
        run.steps += 1;
        run.at = index = target;
        value = (bodies[target] as Body)(value, new TaskContext(run, target));
        if (typeof value === "object" && value !== null) {
          if (value instanceof Promise || isPromiseLike(value)) value = await value;
          if (run.aborted) throw run.reason;
          if (streams(value)) {
            if (resumeSupersteps(run, value)) return run.complete(run.result);
            break;
          }
        }
      }
    }
  } catch (error) {
    throw await failure(run, error);
  }
}

async function failure(run: Run, error: unknown): Promise<unknown> {
  if (run.waiting === "step" && !run.aborted) await findFailed(run, error);
  return run.fail(error);
}

/**
 * The same for watched runs on values. It is a function of its own because the questions it asks for every node would slow
 * down the runs that nobody watches.
 */
export async function driveObserved(run: Run, input: unknown): Promise<unknown> {
  const { inlines } = run.program;
  let value = input;
  try {
    for (;;) {
      for (;;) {
        value = withKey(run, run.at, value);
        const target = leave(run, run.at, value);
        if (target <= END_INDEX || inlines[target] === undefined) {
          if (goOn(run, target, value)) return run.complete(run.result);
          break;
        }
        if (run.steps === run.maxSteps) throw stepLimit(run, [target]);
        run.steps += 1;
        run.at = target;
        value = runInline(run, inlines[target], value);
        if (isPromiseLike(value)) value = await value;
        if (run.aborted) throw tooLate(run, value);
        if (streams(value)) value = await watchedWhole(run, inlines[target], value);
        else endInline(run, inlines[target], value);
      }
      value = await run.pending;
      if (run.aborted) throw run.reason;
      if (run.waiting === "node" && !streams(value)) continue;
      if (resumeSupersteps(run, value)) return run.complete(run.result);
    }
  } catch (error) {
    throw await failure(run, error);
  }
}

function runInline(run: Run, { run: call, payload }: Inline, input: unknown): unknown {
  const ctx = new TaskContext(run, run.at);
  const watch = openWatch(ctx);
  run.nodeWatch = watch;
  watch?.start(payload === undefined ? input : payload.input(input, ctx.options));
  return call(input, ctx);
}

function endInline(run: Run, { payload }: Inline, output: unknown): void {
  const watch = run.nodeWatch;
  run.nodeWatch = undefined;
  watch?.end(payload === undefined ? output : payload.output(output));
}

/** A function that turns out to stream: its watch ends with the stream. */
function watchedWhole(run: Run, { payload }: Inline, output: unknown): Promise<unknown> {
  const watch = run.nodeWatch;
  run.nodeWatch = undefined;
  const { own } = joiningsOf(run.node(run.at), run.runtime);
  const reader = rejoin(StreamReader.from(output as StreamSource<unknown>), own);
  return collect(
    watch === undefined ? reader : watch.outputStream(reader, payload?.output),
    new TaskContext(run, run.at),
  );
}

/** The run was stopped meanwhile: handlers hear that a result came late. */
function tooLate(run: Run, output: unknown): unknown {
  if (run.nodeWatch?.closed) run.nodeWatch.event({ kind: "late_result", value: output });
  return run.reason;
}

function streams(value: unknown): boolean {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Which node of a step has failed: the first one, in order of declaration, that rejected with this error. */
async function findFailed(run: Run, error: unknown): Promise<void> {
  const { held, stepNodes } = run;
  if (!Array.isArray(held) || stepNodes === undefined) return;
  let found = -1;
  held.forEach((output: unknown, n) => {
    if (!isPromiseLike(output)) return;
    output.then(undefined, (thrown: unknown) => {
      if (thrown === error && found === -1) found = n;
    });
  });
  await undefined;
  run.at = stepNodes[found] ?? run.at;
}
