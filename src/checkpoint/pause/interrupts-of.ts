import type { CallSnapshot, InvocationSnapshot, Question, RunSnapshot } from "../document/snapshot.js";
import type { Interrupt } from "./interrupt.js";
import { stopInfo } from "./stop-info.js";

/**
 * The pending interrupts of a run. Only the innermost ones are listed; the enclosing invocations are their parents. Only questions
 * have ids that can be answered: parents without a question are identified by the run and their address.
 */
export function interruptsOf(run: RunSnapshot, runKey: string, parent?: Interrupt): Interrupt[] {
  const { address } = run;
  const around = parent?.address === address ? parent : interrupt(`${runKey}:${address}`, address, undefined, parent);
  const found: Interrupt[] = [];
  for (const { visit, route } of run.tasks) {
    if (visit !== undefined) addInterrupts(found, visit, runKey, around);
    if (route !== undefined) addInterrupts(found, route, runKey, around);
  }
  const { stop } = run;
  if (stop !== undefined && stop.answer === undefined) {
    const { id, before, after } = stop;
    found.push(interrupt(id, address, stopInfo({ kind: "before_after", before, after }), parent));
  }
  return found;
}

/** The same for one invocation: its own questions and those inside it. */
export function interruptsAt(invocation: InvocationSnapshot, runKey: string): Interrupt[] {
  const found: Interrupt[] = [];
  addInterrupts(found, invocation, runKey, undefined);
  return found;
}

function addInterrupts(
  found: Interrupt[],
  invocation: InvocationSnapshot,
  runKey: string,
  parent: Interrupt | undefined,
): void {
  const { questions, calls, inner } = invocation;
  const inside: Interrupt[] = [];
  if (calls.length > 0 || inner.length > 0) {
    const around = parentOf(invocation, runKey, parent);
    for (const { visit } of inOrder(calls)) if (visit !== undefined) addInterrupts(inside, visit, runKey, around);
    for (const { run } of inner) if (run !== undefined) inside.push(...interruptsOf(run, runKey, around));
  }
  for (const question of questions) {
    // an interrupt that has others inside it is their parent
    if (question.answer !== undefined || (question.kind !== "ask" && inside.length > 0)) continue;
    found.push(interruptOf(question, parent));
  }
  found.push(...inside);
}

/** An invocation as the parent of those inside it; it has the id of its own question, if there is one. */
function parentOf(
  { address, questions }: InvocationSnapshot,
  runKey: string,
  parent: Interrupt | undefined,
): Interrupt {
  const asksItself = ({ kind, answer }: Question): boolean => kind === "interrupt" && answer === undefined;
  const own = questions.find(asksItself);
  return interrupt(own?.id ?? `${runKey}:${address}`, address, own?.info, parent);
}

/** Leaves out absent fields. (Spreading conditional fields would be slower than all the rest here.) */
function interrupt(id: string, address: string, info: unknown, parent: Interrupt | undefined): Interrupt {
  return parent === undefined ? { id, address, info } : { id, address, info, parent };
}

function interruptOf(
  { id, kind, key, address, info, schema, expiresAt }: Question,
  parent: Interrupt | undefined,
): Interrupt {
  const made: Writable<Interrupt> = kind === "ask" ? { id, address, key, info } : { id, address, info };
  if (schema !== undefined) made.schema = schema;
  if (expiresAt !== undefined) made.expiresAt = expiresAt;
  if (parent !== undefined) made.parent = parent;
  return made;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Unfinished calls and items by position: they are stored in the order in which they began or ended. */
function inOrder(calls: readonly CallSnapshot[]): CallSnapshot[] {
  return calls.filter(({ visit }) => visit !== undefined).sort((a, b) => a.index - b.index);
}
