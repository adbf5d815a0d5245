import { KumikoError, messageOf } from "../errors.js";
import { kindOf } from "../wording.js";
import { known, quoteId } from "./names.js";

// checkpoints

export const unreadableCheckpoint = (why: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "CHECKPOINT_UNREADABLE",
    `This checkpoint cannot be read: ${why}. It was damaged, or something else wrote it.`,
    cause === undefined ? {} : { cause },
  );

export const nodeIsGone = (path: readonly string[]): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The checkpoint was made by a graph that has changed since: it has no node "${path.join("/")}" any more. ` +
      "Resume with the graph that made it, or start a new run.",
    { nodePath: path },
  );

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
    `${place} cannot be read from the checkpoint: ${why}`,
    cause === undefined ? {} : { cause },
  );

/** What is wrong with a document, said of the checkpoint that has it. */
export const inCheckpoint = (id: string, error: KumikoError): KumikoError =>
  new KumikoError(error.code, `Checkpoint ${quoteId(id)}: ${error.message}`, {
    nodePath: error.nodePath,
    cause: error.cause ?? error,
  });

const graphAt = (path: string): string => (path === "" ? "the graph" : `the graph "${path}"`);

export const lateState = (option: string, path: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `${option} gave a promise for ${graphAt(path)}. It must return the new state itself: await what it needs before the call.`,
  );

export const modifyStateFailed = (option: string, path: string, cause: unknown): KumikoError =>
  new KumikoError("NODE_FAILED", `${option} failed for ${graphAt(path)}: ${messageOf(cause)}`, {
    nodePath: path === "" ? [] : path.split("/"),
    cause,
  });

export const newerCheckpoint = (version: number, known: number): KumikoError =>
  new KumikoError(
    "CHECKPOINT_UNREADABLE",
    `This checkpoint has the format ${version}, and this version of kumiko reads up to ${known}. Update kumiko.`,
  );

export const kindHasChanged = (path: readonly string[], saved: string, now: string): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The checkpoint was made by a graph that has changed since: node "${path.join("/")}" was a ${saved} and is a ${now} now. ` +
      "Resume with the graph that made it, or start a new run.",
    { nodePath: path },
  );

export const stepsHaveChanged = (path: readonly string[]): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The run is at step "${path.join("/")}" of a chain whose steps up to there have changed, and that key only counts steps. ` +
      'Resume with the chain that made the checkpoint, or start a new run; give steps that may wait their own key: append(node, { key: "…" }).',
    { nodePath: path },
  );

export const valueHasChanged = (path: readonly string[], what: string, cause: unknown): KumikoError =>
  new KumikoError(
    "GRAPH_CHANGED",
    `The checkpoint was made by a graph that has changed since: the ${what} of ${path.length === 0 ? "the graph" : `"${path.join("/")}"`} ` +
      `does not fit any more: ${messageOf(cause)}`,
    { nodePath: path, cause },
  );

export const unknownCheckpoint = (id: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `There is no checkpoint ${quoteId(id)}. It was never saved, or its run has ended well (keepCheckpoint keeps it).`,
  );

export const nothingSaved = (id: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `Nothing of the run ${quoteId(id)} was saved: its input was a stream that had not ended. Start it again with invoke.`,
  );

export const pendingCheckpoint = (id: string): KumikoError =>
  new KumikoError(
    "CHECKPOINT_PENDING",
    `There is an unfinished run under ${quoteId(id)}. Go on with it: resume(${quoteId(id)}), or give it up with forceNewRun: true.`,
  );

export const checkpointInUse = (id: string, owner: string | undefined): KumikoError =>
  new KumikoError(
    "CHECKPOINT_IN_USE",
    `The run ${quoteId(id)} is claimed${owner === undefined ? "" : ` by ${owner}`}. Wait for it; if that process is gone, ` +
      "take the run away from it with takeover: true.",
  );

export const checkpointLost = (id: string, cause: unknown): KumikoError =>
  new KumikoError(
    "CHECKPOINT_LOST",
    `This run has lost its checkpoint ${quoteId(id)}: another process took it over or removed it. It stops here.`,
    { cause },
  );

export const finishedCheckpoint = (id: string): KumikoError =>
  new KumikoError("CHECKPOINT_FINISHED", `The run ${quoteId(id)} has ended well: there is nothing to resume.`);

export const storeCallFailed = (what: string, id: string, cause: unknown): KumikoError =>
  new KumikoError("STORE_FAILED", `The store could not ${what} the checkpoint ${quoteId(id)}: ${messageOf(cause)}`, {
    cause,
  });

export const putGaveNoVersion = (id: string, given: unknown): KumikoError =>
  new KumikoError(
    "STORE_FAILED",
    `The put of the store gave no version for the checkpoint ${quoteId(id)}, but ${typeof given === "number" ? given : kindOf(given)}. By the contract of ` +
      "CheckpointStore, put resolves to the new version, an integer; checkpointStoreConformance of kumiko/testing checks it.",
  );

export const storeIsSilent = (id: string): KumikoError =>
  new KumikoError(
    "STORE_FAILED",
    `The run ${quoteId(id)} was stopped, and its store did not answer in time. Its last save stands, unless the store still ` +
      "writes a later one: resume it once the store answers again.",
  );

/** Seen by nobody: the run has told its caller before how it ended. */
export const endedWhileClaiming = (id: string): KumikoError =>
  new KumikoError("CHECKPOINT_LOST", `The run ${quoteId(id)} ended while it was claimed.`);

// answers

export const invalidAnswers = (): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    "The answers of a resume are a record by id, { [interrupt.id]: answer }, or by address, { byAddress: { … } }.",
  );

export const unknownInterrupt = (name: string, waiting: readonly string[]): KumikoError =>
  new KumikoError("UNKNOWN_INTERRUPT", `No place waits for an answer under "${name}". Waiting: ${known(waiting)}.`);

export const ambiguousInterrupt = (address: string, ids: readonly string[]): KumikoError =>
  new KumikoError("AMBIGUOUS_INTERRUPT", `Several questions wait at "${address}". Answer by id: ${known(ids)}.`);

export const alreadyAnswered = (id: string): KumikoError =>
  new KumikoError(
    "ALREADY_ANSWERED",
    `"${id}" was answered before. To go on after a crash or a failure, resume without this answer.`,
  );

export const answerMismatch = (address: string, issues: readonly string[]): KumikoError =>
  new KumikoError(
    "ANSWER_MISMATCH",
    `The answer for "${address}" does not fit: ${issues.join("; ")}. Nothing has run, and the question stays open.`,
  );
