import { KumikoError } from "../../errors.js";
import { notSuspended } from "../errors.js";

/** The methods of a run that run something. */
export type RunMethod = "start" | "resume" | "restart";

/** The run that an error is about. */
export interface FailedRun {
  readonly workflow: string;
  readonly runId: string;
  readonly method: RunMethod;
}

const another = "createRun() makes another run";

/** An error of the checkpoint of a run, in terms of what its caller can do: runs have no checkpoints under these names. */
export function errorOfRun(error: unknown, run: FailedRun): unknown {
  if (!KumikoError.is(error)) return error;
  const { workflow, runId } = run;
  const name = `Run "${runId}" of workflow "${workflow}"`;
  switch (error.code) {
    case "UNKNOWN_CHECKPOINT":
    case "CHECKPOINT_FINISHED":
      return notSuspended(workflow, runId, error);
    case "CHECKPOINT_PENDING":
      return told(
        error,
        `${name} has been started before, and has not ended. If it is suspended, answer it with run.resume({ step, resumeData }); after a ` +
          `crash, continue it with run.restart(); or give it up with run.cancel(). ${another}.`,
      );
    case "CHECKPOINT_IN_USE":
      return runInProgress(run, error);
    case "CHECKPOINT_LOST":
      return told(error, `${name} was stopped: another process has taken it over, or has canceled it.`);
    case "CHECKPOINT_UNREADABLE":
      return told(
        error,
        `${name} cannot be read from the storage. ${reasonIn(error.message)} To give the run up, call run.cancel(): ${another}.`,
      );
    case "GRAPH_CHANGED":
      return told(
        error,
        `${name} does not fit the workflow, which has changed since the run was saved: ${reasonIn(error.message)} ` +
          `Resume it with the workflow as it was, or give it up with run.cancel(): ${another}.`,
      );
    case "ALREADY_ANSWERED":
      return told(error, `${name} has already got an answer to this question. Continue the run with run.restart().`);
    default:
      return error;
  }
}

/** The run is in progress: in this process, or in the one that has claimed it. */
export function runInProgress({ workflow, runId, method }: FailedRun, cause?: KumikoError): KumikoError {
  const options = method === "resume" ? "{ step, resumeData, takeover: true }" : "{ takeover: true }";
  const again = `run.${method === "resume" ? "resume" : "restart"}(${options})`;
  const message =
    `Run "${runId}" of workflow "${workflow}" is in progress. Wait for it to end. ` +
    (cause === undefined ? "" : `If its process is gone, take the run over with ${again}. `);
  return new KumikoError("CHECKPOINT_IN_USE", `${message}For another run, call createRun().`, withCause(cause));
}

function told(error: KumikoError, message: string): KumikoError {
  return new KumikoError(error.code, message, { nodePath: error.nodePath, ...withCause(error) });
}

function withCause(cause: KumikoError | undefined): { readonly cause?: KumikoError } {
  return cause === undefined ? {} : { cause };
}

/** Words about graphs and their checkpoints: how a message begins, and its advice. */
const opening = /^(?:Checkpoint "[^"]*": )?(?:The graph has changed since this checkpoint was saved: )?/;
const advice =
  / ?(?:Start the run anew|Resume with the (?:graph|chain)|Give steps that may wait|Go on with it by the graph|Resume with code)\b.*$/s;

function reasonIn(message: string): string {
  return message.replace(opening, "").replace(advice, "");
}
