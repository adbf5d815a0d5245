import { KumikoError, messageOf } from "../errors.js";
import { known, quoteId } from "./names.js";
import { type Interrupt, type InterruptError, type Interrupts, withoutStack } from "./pause/interrupt.js";
import { isStopInfo, type StopInfo } from "./pause/stop-info.js";

// stores

/** A checkpoint could not be replaced or removed, because it does not have the expected version. */
export const checkpointConflict = (id: string, expected: number | undefined, found?: number): KumikoError =>
  new KumikoError("CHECKPOINT_CONFLICT", `${conflict(id, expected, found)} Read it again before writing.`);

function conflict(id: string, expected: number | undefined, found: number | undefined): string {
  const name = `Checkpoint ${quoteId(id)}`;
  if (expected === undefined) return `${name} already exists${found === undefined ? "" : ` (version ${found})`}.`;
  if (found === undefined) return `${name} no longer has version ${expected}: it was replaced or removed.`;
  return `${name} has version ${found}, not ${expected}: another process wrote it.`;
}

export const invalidCheckpointId = (id: unknown, why: string): KumikoError =>
  new KumikoError("INVALID_KEY", `The checkpoint id ${quoteId(id)} cannot be used: ${why}.`);

export const reservedId = (id: string): KumikoError =>
  invalidCheckpointId(id, "ids that begin with ~ are reserved for the library. Use another id");

export const storeClosed = (store: string): KumikoError =>
  new KumikoError("STORE_FAILED", `This ${store} is closed. Open a new one, or close it after its last use.`);

export const storeFailed = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("STORE_FAILED", what, cause === undefined ? {} : { cause });

// questions

export const keyNotString = (what: "ask" | "once", key: unknown, address: string): KumikoError =>
  new KumikoError("INVALID_KEY", `The key of ${what} at "${address}" must be a string (got ${String(key)}).`);

export const duplicateKey = (what: "ask" | "once", key: string, address: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_KEY",
    `${what}("${key}") was called twice at "${address}". Give each ${what} in the same function its own key.`,
  );

export const askedTooLate = (what: string, address: string): KumikoError =>
  new KumikoError(
    "ASKED_TOO_LATE",
    `${what} was called at "${address}" after the function had returned, so nothing can wait for the answer. ` +
      "Await every question before the function returns.",
  );

export const answerUnused = (path: readonly string[], key: string, address: string): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The answer to ask("${key}") at "${address}" was not used: the code that runs there now has not asked for it. ` +
      "The answer is kept. Resume with code that asks this question again, or start a new run. " +
      'If a step was inserted into a chain, give the steps that ask a key of their own: append(node, { key: "…" }).',
    { nodePath: path },
  );

export const schemaNeedsJson = (what: string, address: string, cause: unknown): KumikoError =>
  new KumikoError(
    "SCHEMA_UNSUPPORTED",
    `The schema of ${what} at "${address}" cannot be converted to JSON Schema, which is part of every question: ${messageOf(cause)}`,
    { cause },
  );

export const answerDoesNotParse = (what: string, address: string, issues: readonly string[]): KumikoError =>
  new KumikoError(
    "ANSWER_MISMATCH",
    `The answer to ${what} at "${address}" does not fit its schema: ${issues.join("; ")}. The question stays open: answer it again.`,
  );

// stops

/** How a run that stopped can be continued. */
export interface Continuation {
  /** The id to resume with; `undefined` if nothing was saved. */
  readonly checkpointId: string | undefined;
  /** Why nothing was saved, and what to do. */
  readonly unsaved: string;
}

/** The error of a run that paused for answers, or that was asked to stop. */
export const stoppedToWait = (interrupts: Interrupts, { checkpointId, unsaved }: Continuation): InterruptError => {
  const asking: Interrupt[] = [];
  const parts: string[] = [];
  for (const interrupt of interrupts) {
    const { address, info } = interrupt;
    if (isStopInfo(info)) parts.push(describeStop(address, info));
    else asking.push(interrupt);
  }
  if (asking.length > 0) parts.push(`waits for answers at ${addressesOf(asking)}`);
  const what = parts.join(", and it ");
  const answers = asking.length === 0 ? "" : ", { [interrupt.id]: answer }";
  const advice =
    checkpointId === undefined
      ? `It cannot be resumed, because ${unsaved}.`
      : `Continue with resume(${JSON.stringify(checkpointId)}${answers}).`;
  return withoutStack(`The run ${what}. ${advice}`, interrupts, checkpointId);
};

function addressesOf(interrupts: readonly Interrupt[]): string {
  const [first, second] = interrupts;
  if (first !== undefined && second === undefined) return `"${first.address}"`;
  const addresses = [...new Set(interrupts.map(({ address }) => `"${address}"`))];
  return (addresses.length > 5 ? [...addresses.slice(0, 5), `${addresses.length - 5} more`] : addresses).join(", ");
}

function describeStop(address: string, info: StopInfo): string {
  if (info.kind === "requested") return "was asked to stop";
  const { before, after } = info;
  const sides = [
    ...(before.length === 0 ? [] : [`before ${known(before)}`]),
    ...(after.length === 0 ? [] : [`after ${known(after)}`]),
  ];
  return `stopped ${sides.join(" and ")} in "${address}"`;
}

// options

export const noStore = (option: string): KumikoError =>
  new KumikoError(
    "NO_STORE",
    `${option} was given, but this graph has no store to save runs in. Pass one to compile: compile({ store: memoryStore() }).`,
  );

// conflicts

/** Whether another writer came first. */
export function isConflict(error: unknown): boolean {
  return KumikoError.is(error) && error.code === "CHECKPOINT_CONFLICT";
}
