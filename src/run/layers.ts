import type { NodeSettings, OptionsFunction, StateHandler } from "../compose/plan/plan.js";
import { isPromiseLike, isRecord } from "../is.js";
import type { Body } from "./body.js";
import { missingInputKey } from "./errors.js";
import type { Task } from "./task.js";

/** The layers around a node's own function: before → input key → options → the function → output key → after. */
export interface Layers {
  readonly before: readonly Body[];
  readonly node: readonly Body[];
  readonly after: readonly Body[];
}

/** Whether a node has state handlers. */
export function hasStateHandlers({ before, after, streamBefore, streamAfter }: NodeSettings): boolean {
  return (before ?? after ?? streamBefore ?? streamAfter) !== undefined;
}

/** With a ledger, neither `before` nor the node is repeated on resume if a later layer paused. */
export function assemble({ before, node, after }: Layers): Body {
  const inner = before.length === 0 ? sequence(node) : sequence([preparing(sequence(before)), ...node]);
  if (after.length === 0) return inner;
  const last = sequence(after);
  return (input, task) => {
    const { ledger } = task.owner;
    const produced = ledger === undefined ? inner(input, task) : ledger.produce(inner, input, task);
    if (!isPromiseLike(produced)) return last(produced, task);
    return produced.then((output) => {
      task.scope.throwIfAborted();
      return last(output, task);
    });
  };
}

/** Runs steps one after another, synchronously until one returns a promise. */
function sequence(steps: readonly Body[]): Body {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return only;
  return (input, task) => {
    let value = input;
    for (let n = 0; n < steps.length; n++) {
      value = (steps[n] as Body)(value, task);
      if (isPromiseLike(value)) return sequenceLater(steps, n + 1, value, task);
    }
    return value;
  };
}

async function sequenceLater(
  steps: readonly Body[],
  from: number,
  first: PromiseLike<unknown>,
  task: Task,
): Promise<unknown> {
  let value: unknown = await first;
  for (let n = from; n < steps.length; n++) {
    task.scope.throwIfAborted();
    value = (steps[n] as Body)(value, task);
    if (isPromiseLike(value)) value = await value;
  }
  return value;
}

function preparing(before: Body): Body {
  return (input, task) => {
    const { ledger } = task.owner;
    return ledger === undefined ? before(input, task) : ledger.prepare(before, input, task);
  };
}

/** A state handler has exclusive access to the state of its graph. */
export function handle(handler: StateHandler): Body {
  return (value, task) => task.owner.useState((state) => handler(value as never, state as never, task as never), task);
}

export function pick(input: unknown, key: string, task: Task): unknown {
  if (isRecord(input) && Object.hasOwn(input, key)) return input[key];
  throw missingInputKey(task.nodePath, key, input);
}

export function isFunction(options: NodeSettings["options"]): options is OptionsFunction {
  return typeof options === "function";
}

export function placeOf(task: Task): string {
  return `node "${task.nodePath.join("/")}"`;
}
