import { InterruptError } from "../checkpoint/interrupt.js";
import { END_INDEX } from "../compose/plan/plan.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { isPromiseLike } from "./async.js";
import type { Body } from "./body.js";
import { collect } from "./collect.js";
import { discard, withKey } from "./flow.js";
import { joiningFor, rejoin } from "./node-stream.js";
import { type Inline, joiningsOf } from "./program.js";
import type { Run } from "./run.js";
import { settleStop } from "./settle-stop.js";
import { abandon, goOn, leave, resumeSupersteps, stepLimit } from "./supersteps.js";
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
      if (run.halted) throw overtaken(run, value);
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
        if (value instanceof Promise || isPromiseLike(value)) value = await value;
        if (run.halted) throw overtaken(run, value);
        if (streams(value)) {
          if (resumeSupersteps(run, value)) return run.complete(run.result);
          break;
        }
      }
    }
  } catch (error) {
    throw await failure(run, error);
  }
}

/** What the run rejects with. One that stopped to wait first lets everything settle that runs beside. */
async function failure(run: Run, thrown: unknown): Promise<unknown> {
  const stopped = await settleStop(run, thrown);
  if (stopped !== thrown && InterruptError.is(stopped)) return run.interrupt(stopped);
  return failed(run, stopped);
}

export async function rejectStopped(run: Run, thrown: unknown): Promise<never> {
  throw await failure(run, thrown);
}

async function failed(run: Run, error: unknown): Promise<unknown> {
  if (run.waiting === "step") abandon(Array.isArray(run.held) ? run.held : [], error);
  if (run.aborted) return run.fail(error);
  if (run.waiting === "step") await findFailed(run, error);
  return run.fail(run.mode === "transform" ? await run.findOrigin(error) : error);
}

/**
 * The same for watched runs on values. It is a function of its own because the questions it asks for every node would slow
 * down the runs that nobody watches.
 */
export async function driveObserved(run: Run, input: unknown): Promise<unknown> {
  const { inlines, next } = run.program;
  const { lane } = run;
  const spanAround = lane === undefined ? undefined : run.watch?.spanFor(lane);
  let value = input;
  if (run.watch !== undefined) run.watch.inside = run;
  try {
    for (;;) {
      let index = run.at;
      for (;;) {
        let target = next[index] as number;
        if (target <= END_INDEX) {
          value = withKey(run, index, value);
          target = leave(run, index, value);
        }
        const inline = target > END_INDEX ? inlines[target] : undefined;
        if (inline === undefined) {
          if (goOn(run, target, value)) return run.complete(run.result);
          break;
        }
        if (run.steps === run.maxSteps) throw stepLimit(run, [target]);
        run.steps += 1;
        run.at = index = target;
        const ctx = new TaskContext(run, index);
        run.laneTask = ctx;
        if (lane === undefined) ctx.openWatch()?.start(inputShown(inline, value, ctx));
        else ctx.start(lane, inputShown(inline, value, ctx), spanAround);
        if (run.halted) throw run.haltReason;
        value = inline.run(value, ctx);
        if (value instanceof Promise || isPromiseLike(value)) value = await value;
        if (run.halted) throw tooLate(run, value);
        run.laneTask = undefined;
        if (streams(value)) {
          value = await whole(run, ctx, inline, value);
          if (run.aborted) throw run.reason;
          continue;
        }
        if (lane === undefined) ctx.watch?.end(outputShown(inline, value));
        else ctx.end(lane, outputShown(inline, value));
        if (run.halted) throw run.haltReason;
      }
      for (;;) {
        value = await run.pending;
        if (run.halted) throw overtaken(run, value);
        if (run.waiting === "node" && !streams(value)) break;
        if (resumeSupersteps(run, value)) return run.complete(run.result);
      }
    }
  } catch (error) {
    throw await failure(run, error);
  }
}

/** What handlers see of what goes into a node. */
function inputShown({ payload }: Inline, value: unknown, ctx: TaskContext): unknown {
  return payload === undefined ? value : payload.input(value, ctx.options);
}

function outputShown({ payload }: Inline, value: unknown): unknown {
  return payload === undefined ? value : payload.output(value);
}

/** A function that turns out to stream: its watch ends with the stream. */
function whole(run: Run, ctx: TaskContext, { payload }: Inline, output: unknown): Promise<unknown> {
  const { own } = joiningsOf(run.node(run.at), run.runtime);
  const given = StreamReader.from(output as StreamSource<unknown>);
  const reader = rejoin(given, joiningFor(given, own));
  const { watch } = ctx;
  return collect(watch === undefined ? reader : watch.outputStream(reader, payload?.output), ctx);
}

/** The run was stopped meanwhile: handlers hear that a result came late. */
function tooLate(run: Run, output: unknown): unknown {
  const watch = run.laneTask?.watch;
  if (watch?.closed) watch.event({ kind: "late_result", value: output });
  return overtaken(run, output);
}

/** The run was stopped while this was awaited. (The outputs of a step are let go by {@link failure}.) */
function overtaken(run: Run, output: unknown): unknown {
  if (run.waiting !== "step") discard(output);
  return run.haltReason;
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
