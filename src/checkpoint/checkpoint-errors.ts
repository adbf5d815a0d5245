import { KumikoError, messageOf } from "../errors.js";
import { kindOf } from "../wording.js";
import { known, quoteId } from "./names.js";

// checkpoints

export const unreadableCheckpoint = (why: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "CHECKPOINT_UNREADABLE",
    `This checkpoint cannot be read: ${why}. It is damaged, or was not written by this library.`,
    cause === undefined ? {} : { cause },
  );

export const nodeIsGone = (path: readonly string[]): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The graph has changed since this checkpoint was saved: node "${path.join("/")}" no longer exists. ` +
      "Resume with the graph that saved it, or start a new run.",
    { nodePath: path },
  );

// values

/** `place` is the path to the value, such as `input of "b": outer.list[1].fn`. */
export const notSerializable = (place: string, what: string, advice: string): KumikoError =>
  new KumikoError("NOT_SERIALIZABLE", `${place} cannot be saved in a checkpoint: ${what}. ${advice}`);

export function isUnsaveable(error: unknown): error is KumikoError {
  return KumikoError.is(error) && error.code === "NOT_SERIALIZABLE";
}

export const hostileValue = (place: string, cause: unknown): KumikoError =>
  new KumikoError(
    "NOT_SERIALIZABLE",
    `${place} cannot be saved in a checkpoint: reading it threw an error: ${messageOf(cause)}`,
    {
      cause,
    },
  );

export const codecFailed = (place: string, name: string, cause: unknown): KumikoError =>
  new KumikoError(
    "NOT_SERIALIZABLE",
    `${place} cannot be saved in a checkpoint: encode of the codec "${name}" failed: ${messageOf(cause)}`,
    { cause },
  );

export const unknownClass = (place: string, name: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_CLASS",
    `${place} holds an instance of the class "${name}", and the graph's runtime has no codec of that name. Register the one ` +
      `it was saved with: new Runtime({ codecs: [{ name: "${name}", … }] }). Codecs: ${known.join(", ") || "none"}.`,
  );

export const unreadableValue = (place: string, why: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "CHECKPOINT_UNREADABLE",
    `${place} cannot be read from the checkpoint: ${why}`,
    cause === undefined ? {} : { cause },
  );

/** Adds the id of the checkpoint to an error about its document. */
export const inCheckpoint = (id: string, error: KumikoError): KumikoError =>
  new KumikoError(error.code, `Checkpoint ${quoteId(id)}: ${error.message}`, {
    nodePath: error.nodePath,
    cause: error.cause ?? error,
  });

const graphAt = (path: string): string => (path === "" ? "the graph" : `the graph "${path}"`);

export const promisedState = (option: string, path: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `${option} gave a promise for ${graphAt(path)}. It must return the new state itself: await what it needs before the call.`,
  );

export const modifyStateFailed = (option: string, path: string, cause: unknown): KumikoError =>
  new KumikoError("NODE_FAILED", `${option} failed for ${graphAt(path)}: ${messageOf(cause)}`, {
    nodePath: path === "" ? [] : path.split("/"),
    cause,
  });

/** `what`: the part of the checkpoint that has the version, as the subject of a sentence. */
export const otherFormatVersion = (what: string, version: number, known: number): KumikoError => {
  const advice =
    version > known
      ? "Update kumiko."
      : "Start the run anew with forceNewRun: true and takeover: true, or delete the checkpoint from the store.";
  return new KumikoError(
    "CHECKPOINT_UNREADABLE",
    `${what} has format version ${version}, but this version of kumiko reads only version ${known}. ${advice}`,
  );
};

export const kindHasChanged = (path: readonly string[], saved: string, now: string): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The graph has changed since this checkpoint was saved: node "${path.join("/")}" was a ${saved} and is now a ${now}. ` +
      "Resume with the graph that saved it, or start a new run.",
    { nodePath: path },
  );

export const stepsHaveChanged = (path: readonly string[]): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The run stopped at step "${path.join("/")}" of a chain whose earlier steps have changed since, and this key is only a position. ` +
      'Resume with the chain that saved the checkpoint, or start a new run. Give steps that may wait a key of their own: append(node, { key: "…" }).',
    { nodePath: path },
  );

export const valueHasChanged = (path: readonly string[], what: string, cause: unknown): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The graph has changed since this checkpoint was saved: the ${what} of ${path.length === 0 ? "the graph" : `"${path.join("/")}"`} ` +
      `no longer fits: ${messageOf(cause)}`,
    { nodePath: path, cause },
  );

export const unknownCheckpoint = (id: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `There is no checkpoint ${quoteId(id)}. It was never saved, or its run finished and the checkpoint was removed (keepCheckpoint: true keeps it).`,
  );

export const nothingSaved = (id: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `The run ${quoteId(id)} stopped before its input stream had ended, so nothing of it was saved. Start it again with invoke.`,
  );

export const notBegun = (id: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `The run ${quoteId(id)} was enqueued and has not begun. A worker begins it, or segment(${quoteId(id)}).`,
  );

export const otherGraph = (id: string, saved: string, now: string): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The run ${quoteId(id)} is one of the graph ${quoteId(saved)}, not of ${quoteId(now)}. Go on with it by the graph that saved it, ` +
      "or give each graph its own ids.",
  );

export const runAbandoned = (id: string, attempts: number): KumikoError =>
  new KumikoError(
    "RUN_ABANDONED",
    `The run ${quoteId(id)} was abandoned: ${attempts} processes in a row have died while they ran it, and no task was saved meanwhile. ` +
      "Find out what ends them (memory, a native crash, a task that never ends); then retry it.",
  );

export const pendingCheckpoint = (id: string): KumikoError =>
  new KumikoError(
    "CHECKPOINT_PENDING",
    `There is an unfinished run under ${quoteId(id)}. Continue it with resume(${quoteId(id)}), or discard it with forceNewRun: true.`,
  );

export const checkpointInUse = (id: string, owner: string | undefined): KumikoError =>
  new KumikoError(
    "CHECKPOINT_IN_USE",
    `The run ${quoteId(id)} is claimed${owner === undefined ? "" : ` by ${owner}`}. Wait for it to end. If that process is gone, ` +
      "take the run over with takeover: true.",
  );

export const checkpointLost = (id: string, cause: unknown): KumikoError =>
  new KumikoError(
    "CHECKPOINT_LOST",
    `This run has lost its checkpoint ${quoteId(id)}: another process took it over or removed it. The run was stopped.`,
    { cause },
  );

export const finishedCheckpoint = (id: string): KumikoError =>
  new KumikoError("CHECKPOINT_FINISHED", `The run ${quoteId(id)} has already finished: there is nothing to resume.`);

export const storeCallFailed = (what: string, id: string, cause: unknown): KumikoError =>
  new KumikoError("STORE_FAILED", `The store could not ${what} the checkpoint ${quoteId(id)}: ${messageOf(cause)}`, {
    cause,
  });

export const putGaveNoVersion = (id: string, given: unknown): KumikoError =>
  new KumikoError(
    "STORE_FAILED",
    `put of the store did not resolve to a version for the checkpoint ${quoteId(id)}, but to ${typeof given === "number" ? given : kindOf(given)}. ` +
      "Let put resolve to the new version, an integer; checkpointStoreConformance of kumiko/testing checks a store.",
  );

export const storeIsSilent = (id: string): KumikoError =>
  new KumikoError(
    "STORE_FAILED",
    `The run ${quoteId(id)} was stopped, and its store did not answer in time. Its last save is valid, unless the store still ` +
      "writes a later one. Resume the run once the store answers again.",
  );

/** Never reaches a caller: the run has already settled when this is thrown. */
export const endedWhileClaiming = (id: string): KumikoError =>
  new KumikoError("CHECKPOINT_LOST", `The run ${quoteId(id)} ended while it was claimed.`);

// answers

export const invalidAnswers = (): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    "The answers given to resume are not a plain object. Pass them by id, { [interrupt.id]: answer }, or by address, { byAddress: { … } }.",
  );

export const unknownInterrupt = (name: string, waiting: readonly string[]): KumikoError =>
  new KumikoError("UNKNOWN_INTERRUPT", `No open question has the id or address "${name}". Open: ${known(waiting)}.`);

export const ambiguousInterrupt = (address: string, ids: readonly string[]): KumikoError =>
  new KumikoError("AMBIGUOUS_INTERRUPT", `Several questions are open at "${address}". Answer by id: ${known(ids)}.`);

export const questionExpired = (key: string, address: string, expiresAt: number | undefined): KumikoError =>
  new KumikoError(
    "QUESTION_EXPIRED",
    `ask("${key}") at "${address}" was not answered before its deadline${expiresAt === undefined ? "" : `, ${new Date(expiresAt).toISOString()}`}. ` +
      "Catch this error where the run can go on without an answer, or give the node a fallback or an error branch.",
  );

export const alreadyAnswered = (id: string): KumikoError =>
  new KumikoError(
    "ALREADY_ANSWERED",
    `The question "${id}" already has an answer. To continue after a crash or a failure, resume without this answer.`,
  );

export const answerMismatch = (address: string, issues: readonly string[]): KumikoError =>
  new KumikoError(
    "ANSWER_MISMATCH",
    `The answer for "${address}" does not fit: ${issues.join("; ")}. Nothing ran, and the question stays open: answer it again.`,
  );
