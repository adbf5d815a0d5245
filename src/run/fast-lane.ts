import { startedHere } from "../callbacks/at-call.js";
import { END_INDEX, START_INDEX } from "../compose/plan/plan.js";
import { isPromiseLike, isStream } from "../is.js";
import type { Body } from "./body.js";
import type { LineOutputs } from "./mapping/line-outputs.js";
import { complete, end } from "./outcome.js";
import { ROUTED } from "./program.js";
import { choose } from "./routing.js";
import type { Run } from "./run.js";
import { halt } from "./run-parts.js";
import { Scheduler } from "./scheduler.js";
import { endSpan, failSpan, startSpan } from "./spans/observe.js";
import { collect, discard } from "./streams/joining.js";
import { Task } from "./task.js";

/** Whether a run goes from node to node, on values or with a single node, and is neither saved nor controlled. */
export function canRunFast({ program, mode, environment, retains }: Run): boolean {
  const isKept = retains || (environment.journal ?? environment.stopRequest) !== undefined;
  return program.isLine && (mode !== "transform" || program.plan.bare) && !isKept;
}

/**
 * Runs one node after another without a scheduler: a loop that awaits only actual promises. If a branch chooses several nodes,
 * it hands the task to a scheduler, which finishes the run. Results are the same as with the scheduler alone.
 */
export async function runFast(run: Run, input: unknown): Promise<unknown> {
  const { program, bodies } = run;
  const { next } = program;
  const inputs = program.inputs;
  const outputs = (program.wiring?.outputs as ((run: Run) => LineOutputs) | undefined)?.(run);
  const direct = run.observed && run.mode === "invoke" && run.semaphore === undefined ? program.direct : undefined;
  let task: Task | undefined;
  let index = START_INDEX;
  let value = input;
  try {
    for (;;) {
      let target = next[index] as number;
      if (target === ROUTED) {
        task ??= new Task(run, index);
        task.output = run.keyed(index, value);
        let targets = choose(run, task);
        if (typeof targets === "object" && isPromiseLike(targets)) targets = await targets;
        if (run.halted) throw run.haltReason;
        if (typeof targets !== "number" && targets.length === 1) targets = targets[0] as number;
        if (typeof targets !== "number") {
          task.targets = targets;
          return new Scheduler(run, undefined).run([task]);
        }
        target = targets;
        value = task.output;
      }
      if (outputs !== undefined) {
        outputs.keep(index, value);
        outputs.target = target;
        index = target;
        const mapping = inputs[target];
        value = mapping?.read(outputs as never);
        // only user functions can return promises
        if (mapping?.isRepeatable === false && isPromiseLike(value)) {
          value = await value;
          if (run.halted) throw run.haltReason;
        }
      }
      if (target === END_INDEX) {
        const result = complete(run, value);
        return isPromiseLike(result) ? await result : result;
      }
      if (outputs === undefined) {
        if (run.isAtLastStep) throw run.stepLimit([target]);
        run.steps += 1;
        index = target;
      }
      task = new Task(run, index);
      const own = direct?.[index];
      const span = own === undefined ? undefined : task.openSpan();
      if (own === undefined || span === undefined) {
        value = (own?.run ?? (bodies[index] as Body))(value, task);
        if (value instanceof Promise || isPromiseLike(value)) value = await value;
      } else {
        startSpan(span, value, own.payload, task);
        if (run.halted) throw run.haltReason;
        try {
          value = startedHere(own.run, span.handlers.items, span)(value, task);
          if (value instanceof Promise || isPromiseLike(value)) value = await value;
        } catch (error) {
          return await failSpan(span, error, task);
        }
        value = endSpan(span, value, own.payload, own.joining, task);
        if (isPromiseLike(value)) value = await value;
      }
      if (typeof value === "object" && isStream(value)) {
        if (run.halted) {
          discard(value);
          throw run.haltReason;
        }
        if (run.mode !== "stream" && run.mode !== "transform") value = await collect(value, task);
      }
      if (run.halted) throw run.haltReason;
      task.isOver = true;
    }
  } catch (error) {
    let failure: unknown = error;
    if (run.mode === "transform" && !run.halted) failure = await run.openStreams.findOrigin(error);
    failure = end(run, failure === halt ? halt : run.blame(failure, index));
    throw failure instanceof Promise ? await failure : failure;
  }
}
