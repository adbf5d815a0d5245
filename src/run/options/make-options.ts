import type { OptionsFunction } from "../../compose/plan/plan.js";
import { isFields, isPromiseLike } from "../../is.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import type { Body } from "../body.js";
import { wrongOptions } from "../errors.js";
import type { Task } from "../task.js";

/** Works out the call options of a node before it runs: in front of its attempts and its span, which both see them. */
export function makeOptions(make: OptionsFunction): Body {
  return (input, task) => {
    const made = call(make, input, task);
    if (!isPromiseLike(made)) {
      take(made, task);
      return input;
    }
    return made.then((ready) => {
      task.scope.throwIfAborted();
      take(ready, task);
      return input;
    });
  };
}

/** The same on a stream: it has to be whole first, and goes on in the chunks in which it came. */
export function makeOptionsOnStream(make: OptionsFunction): Body {
  return async (input, task) => {
    const [seen, given] = (input as StreamReader<unknown>).copy(2);
    try {
      const whole = await seen.concat();
      task.scope.throwIfAborted();
      const made = await call(make, whole, task);
      task.scope.throwIfAborted();
      take(made, task);
      return given;
    } catch (error) {
      void given.cancel(error);
      throw error;
    }
  };
}

function call(make: OptionsFunction, input: unknown, task: Task): unknown {
  const { owner } = task;
  if (owner.ownState === undefined) return make(input as never, undefined as never, task as never);
  return owner.useState((state) => make(input as never, state as never, task as never), task);
}

function take(made: unknown, task: Task): void {
  if (made !== undefined && !isFields(made)) throw wrongOptions(task.nodePath, made);
  task.takeOptions(made);
}
