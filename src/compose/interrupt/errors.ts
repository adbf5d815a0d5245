import { KumikoError, messageOf } from "../../errors.js";
import { type Interrupt, InterruptError } from "./interrupt.js";

// stores

/** What became of a checkpoint that somebody wanted to replace or remove. */
export const checkpointConflict = (id: string, expected: number | undefined, found?: number): KumikoError =>
  new KumikoError("CHECKPOINT_CONFLICT", `${conflict(id, expected, found)} Read it again before you write.`);

function conflict(id: string, expected: number | undefined, found: number | undefined): string {
  const name = `Checkpoint ${quoteId(id)}`;
  if (expected === undefined) return `${name} exists already${found === undefined ? "" : ` (version ${found})`}.`;
  if (found === undefined) return `${name} no longer has version ${expected}: somebody replaced or removed it.`;
  return `${name} has version ${found}, not ${expected}: somebody else wrote it.`;
}

export const invalidCheckpointId = (id: unknown, why: string): KumikoError =>
  new KumikoError("INVALID_KEY", `The checkpoint id ${quoteId(id)} cannot be used: ${why}.`);

export const storeClosed = (store: string): KumikoError =>
  new KumikoError("STORE_FAILED", `This ${store} is closed. Make a new one, or close it later.`);

export const storeFailed = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("STORE_FAILED", what, cause === undefined ? {} : { cause });

const shown = 80;

function quoteId(id: unknown): string {
  if (typeof id !== "string") return `(${typeof id})`;
  return JSON.stringify(id.length > shown ? `${id.slice(0, shown)}…` : id);
}

// questions

export const duplicateKey = (what: "ask" | "once", key: string, address: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_KEY",
    `${what}("${key}") was called twice at "${address}". Each ${what} of one place needs a key of its own.`,
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

/** What a run rejects with that waits. `advice` says how to go on, or why that cannot be. */
export const stoppedToWait = (
  interrupts: readonly Interrupt[],
  advice: string,
  checkpointId?: string,
): InterruptError => {
  const places = [...new Set(interrupts.map(({ address }) => `"${address}"`))];
  const shownPlaces = places.length > 5 ? [...places.slice(0, 5), `${places.length - 5} more`] : places;
  const what = interrupts.some(({ info }) => isRequested(info)) ? "was asked to stop" : "waits for answers";
  return new InterruptError(`The run ${what} at ${shownPlaces.join(", ")}. ${advice}`, interrupts, checkpointId);
};

function isRequested(info: unknown): boolean {
  return typeof info === "object" && info !== null && "kind" in info && info.kind === "requested";
}

// values

/** `place` says where: `input of "b": outer.list[1].fn`. */
export const notSerializable = (place: string, what: string, advice: string): KumikoError =>
  new KumikoError("NOT_SERIALIZABLE", `${place} cannot be saved in a checkpoint: ${what}. ${advice}`);

export const hostileValue = (place: string, cause: unknown): KumikoError =>
  new KumikoError(
    "NOT_SERIALIZABLE",
    `${place} cannot be saved in a checkpoint, for reading it failed: ${messageOf(cause)}`,
    {
      cause,
    },
  );

export const codecFailed = (place: string, name: string, cause: unknown): KumikoError =>
  new KumikoError(
    "NOT_SERIALIZABLE",
    `${place} cannot be saved in a checkpoint, for encode of the codec "${name}" failed: ${messageOf(cause)}`,
    { cause },
  );

export const unknownClass = (place: string, name: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_CLASS",
    `${place} holds an instance of the class "${name}", which has no codec here. Give the runtime of the graph the one ` +
      `that it was saved with: new Runtime({ codecs: [{ name: "${name}", … }] }). Codecs: ${known.join(", ") || "none"}.`,
  );

export const unreadableValue = (place: string, why: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "CHECKPOINT_UNREADABLE",
    `${place} cannot be read from the checkpoint: ${why}.`,
    cause === undefined ? {} : { cause },
  );
