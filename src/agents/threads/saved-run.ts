import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { readDocument } from "../../checkpoint/document/read-document.js";
import type { RunSnapshot } from "../../checkpoint/document/snapshot.js";
import { readRow } from "../../checkpoint/journal/store-calls.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { interruptsOf } from "../../checkpoint/pause/interrupts-of.js";
import { codecOf } from "../../checkpoint/values/codec-of.js";
import { defaultRuntime } from "../../compose/default-runtime.js";
import type { Runtime } from "../../compose/runtime.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { toolCallsOf } from "../../schema/message/read-message.js";
import { isKeptResult, resultMessage } from "../../tools/node/result-block.js";
import type { AgentState } from "../agent-state.js";

/** The run of a turn as its checkpoint holds it. */
export interface SavedRun {
  readonly state: AgentState | undefined;
  /** The open questions of a run that has stopped; none while it may be running. */
  readonly interrupts: readonly Interrupt[];
  /** Results of calls that have finished, of a round that has not. */
  readonly results: readonly AgenticMessage[];
  /** Whether every node has ended: only the end of the run itself is missing. */
  readonly isOver: boolean;
}

/** Reads a saved run without claiming it; `undefined` if there is none. Throws if it cannot be read. */
export async function readSavedRun(
  store: CheckpointStore,
  runId: string,
  { codecs }: Pick<Runtime, "codecs"> = defaultRuntime,
): Promise<SavedRun | undefined> {
  const row = await readRow(store, runId);
  if (row === undefined) return undefined;
  const { root, status, runKey } = readDocument(row, codecOf(codecs));
  if (root === undefined) return undefined;
  const state = root.state?.value as AgentState | undefined;
  return {
    state,
    interrupts: status === "waiting" ? interruptsOf(root, runKey) : [],
    results: state === undefined ? [] : finishedResults(root, state),
    isOver: state?.phase === "end" && state.entry === undefined,
  };
}

function finishedResults({ tasks }: RunSnapshot, { phase, steps }: AgentState): AgenticMessage[] {
  const message = steps.at(-1)?.message;
  if (phase !== "tools" || message === undefined) return [];
  const calls = toolCallsOf(message);
  const saved = tasks.find(({ node, done }) => node === "tools" && !done)?.visit?.calls ?? [];
  return saved.flatMap(({ callId, result }) => {
    const index = calls.findIndex((call) => call.callId === callId);
    const name = calls[index]?.name;
    const kept = result?.value;
    if (name === undefined || !isKeptResult(kept) || "output" in kept) return [];
    return resultMessage({ callId, name, index }, kept.pieces);
  });
}
