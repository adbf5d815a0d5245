import { KumikoError, messageOf } from "../errors.js";
import type { NodeStop } from "./document/snapshot.js";
import { known, quoteId } from "./names.js";
import { type Interrupt, type InterruptError, type Interrupts, withoutStack } from "./pause/interrupt.js";

// stores

/** What became of a checkpoint that somebody wanted to replace or remove. */
export const checkpointConflict = (id: string, expected: number | undefined, found?: number): KumikoError =>
  new KumikoError("CHECKPOINT_CONFLICT", `${conflict(id, expected, found)} Read it again before you write.`);

function conflict(id: string, expected: number | undefined, found: number | undefined): string {
  const name = `Checkpoint ${quoteId(id)}`;
  if (expected === undefined) return `${name} exists already${found === undefined ? "" : ` (version ${found})`}.`;
  if (found === undefined) return `${name} no longer has version ${expected}: it was replaced or removed.`;
  return `${name} has version ${found}, not ${expected}: another process wrote it.`;
}

export const invalidCheckpointId = (id: unknown, why: string): KumikoError =>
  new KumikoError("INVALID_KEY", `The checkpoint id ${quoteId(id)} cannot be used: ${why}.`);

export const reservedId = (id: string): KumikoError =>
  invalidCheckpointId(id, "ids that begin with ~ belong to the library, and only it starts runs there");

export const storeClosed = (store: string): KumikoError =>
  new KumikoError("STORE_FAILED", `This ${store} is closed. Make a new one, or close it later.`);

export const storeFailed = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("STORE_FAILED", what, cause === undefined ? {} : { cause });

// questions

export const keyIsNoText = (what: "ask" | "once", key: unknown, address: string): KumikoError =>
  new KumikoError("INVALID_KEY", `The key of ${what} at "${address}" must be a text; got ${String(key)}.`);

export const duplicateKey = (what: "ask" | "once", key: string, address: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_KEY",
    `${what}("${key}") was called twice at "${address}". Each ${what} of one place needs a key of its own.`,
  );

export const askedTooLate = (what: string, address: string): KumikoError =>
  new KumikoError(
    "ASKED_TOO_LATE",
    `${what} was called at "${address}" after that had returned, so nothing is left that could wait for the answer. ` +
      "Await every question before the function returns.",
  );

export const schemaNeedsJson = (what: string, address: string, cause: unknown): KumikoError =>
  new KumikoError(
    "SCHEMA_UNSUPPORTED",
    `The schema of ${what} at "${address}" has no JSON Schema form, and the question travels with one: ${messageOf(cause)}`,
    { cause },
  );

export const answerDoesNotParse = (what: string, address: string, issues: readonly string[]): KumikoError =>
  new KumikoError(
    "ANSWER_MISMATCH",
    `The answer to ${what} at "${address}" does not fit its schema: ${issues.join("; ")}. The question stays open: answer it again.`,
  );

// stops

/** How a run that stopped can be gone on with. */
export interface Continuation {
  readonly checkpointId: string | undefined;
  /** What would have to be done so that there is one. */
  readonly missing: string;
}

/** What a run rejects with that stopped to wait, or because it was told to. */
export const stoppedToWait = (interrupts: Interrupts, { checkpointId, missing }: Continuation): InterruptError => {
  const asking: Interrupt[] = [];
  const parts: string[] = [];
  for (const interrupt of interrupts) {
    if (kindOf(interrupt.info) === undefined) asking.push(interrupt);
    else parts.push(describeStop(interrupt));
  }
  if (asking.length > 0) parts.push(`waits for answers at ${placesOf(asking)}`);
  const what = parts.join(", and it ");
  const answers = asking.length === 0 ? "" : ", { [interrupt.id]: answer }";
  const advice =
    checkpointId === undefined
      ? `It cannot be resumed, because nothing was saved: ${missing} the run a checkpointId.`
      : `Go on with resume(${JSON.stringify(checkpointId)}${answers}).`;
  return withoutStack(`The run ${what}. ${advice}`, interrupts, checkpointId);
};

function placesOf(interrupts: readonly Interrupt[]): string {
  const [first, second] = interrupts;
  if (first !== undefined && second === undefined) return `"${first.address}"`;
  const places = [...new Set(interrupts.map(({ address }) => `"${address}"`))];
  return (places.length > 5 ? [...places.slice(0, 5), `${places.length - 5} more`] : places).join(", ");
}

function describeStop({ address, info }: Interrupt): string {
  if (kindOf(info) === "requested") return "was asked to stop";
  const { before, after } = info as Pick<NodeStop, "before" | "after">;
  const sides = [
    ...(before.length === 0 ? [] : [`before ${known(before)}`]),
    ...(after.length === 0 ? [] : [`after ${known(after)}`]),
  ];
  return `stopped ${sides.join(" and ")} in "${address}"`;
}

/** The stops that nobody asked anything at. */
function kindOf(info: unknown): "requested" | "before_after" | undefined {
  if (typeof info !== "object" || info === null || !("kind" in info)) return undefined;
  return info.kind === "requested" || info.kind === "before_after" ? info.kind : undefined;
}

// options

export const noStore = (option: string): KumikoError =>
  new KumikoError(
    "NO_STORE",
    `${option} was given, and this graph has no store to save runs in. Give compile() one: compile({ store: memoryStore() }).`,
  );

// history

export const noHistory = (id: string): KumikoError =>
  new KumikoError(
    "NO_HISTORY",
    `The checkpoint ${quoteId(id)} has no history: its run was saved without. Compile with history: true before the run begins.`,
  );

export const unknownEntry = (id: string, entry: unknown): KumikoError =>
  new KumikoError(
    "UNKNOWN_ENTRY",
    `The history of ${quoteId(id)} has no entry ${quoteId(entry)}: it was pruned, or never there. app.history(id) lists them.`,
  );

export const notEditable = (path: string): KumikoError =>
  new KumikoError(
    "NOT_EDITABLE",
    `The output of ${quoteId(path)} cannot be replaced: nothing of it waits to be read at this entry. Fork an earlier one.`,
  );
