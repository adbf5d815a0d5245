import { isToolApproval, isToolSuspended } from "../../agents/interrupt-kinds.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { isFields } from "../../is.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { ambiguousCall, callNotSuspended, noSuspendedCall } from "../errors.js";

/** A run that waits, as the process knows it that it has stopped in. */
export interface SuspendedRun {
  /** The id under which it is saved, which is not always its `runId`. */
  readonly checkpointId: string;
  readonly interrupts: readonly Interrupt[];
  /** What the call has changed about the agent: the run goes on with the same. */
  readonly schema: AnyStandardSchema | JsonSchema | undefined;
  readonly asksAlways: boolean;
}

/** How many runs are remembered; others are found in the store, by their checkpoint ids. */
const most = 1_000;

/** The runs of an agent that wait, by their `runId`. */
export class SuspendedRuns {
  readonly #runs = new Map<string, SuspendedRun>();

  get(runId: string): SuspendedRun | undefined {
    return this.#runs.get(runId);
  }

  add(runId: string, run: SuspendedRun): void {
    this.#runs.set(runId, run);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > most && oldest !== undefined) this.#runs.delete(oldest);
  }

  delete(runId: string): void {
    this.#runs.delete(runId);
  }
}

/** The kinds of questions that an answer fits. */
export type Question = "approval" | "any";

/** The one question that an answer is for. */
export function questionFor(
  {
    agent,
    runId,
    toolCallId,
  }: { readonly agent: string; readonly runId: string; readonly toolCallId?: string | undefined },
  interrupts: readonly Interrupt[],
  question: Question,
): Interrupt {
  const fitting = interrupts.filter((one) => (question === "approval" ? asksApproval(one) : true));
  const found = toolCallId === undefined ? fitting : fitting.filter((one) => callIdOf(one) === toolCallId);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only;
  const calls = fitting.map((one) => callIdOf(one) ?? one.id);
  if (found.length > 1) throw ambiguousCall(agent, calls);
  throw toolCallId === undefined ? noSuspendedCall(agent, runId) : callNotSuspended(agent, toolCallId, calls);
}

function asksApproval(interrupt: Interrupt): boolean {
  return isToolApproval(interrupt) || (isFields(interrupt.info) && interrupt.info.kind === "mcp_approval");
}

function callIdOf(interrupt: Interrupt): string | undefined {
  if (isToolApproval(interrupt) || isToolSuspended(interrupt)) return interrupt.info.toolCallId;
  const { toolCallId } = isFields(interrupt.info) ? interrupt.info : {};
  return typeof toolCallId === "string" ? toolCallId : undefined;
}
