import type { HistoryEntry } from "../checkpoint/history/history-entry.js";
import type { RunStatus, SaveView } from "./api.js";
import { withoutSecrets } from "./wire-value.js";

export function saveView(entry: HistoryEntry): SaveView {
  const { id, at, cause, ran, failed, next, calls, interrupts, error } = entry;
  return {
    id,
    at,
    cause,
    ran,
    ...(failed === undefined ? {} : { failed }),
    next,
    ...(calls === undefined ? {} : { calls }),
    questions: interrupts.map((interrupt) => interrupt.id),
    ...(error === undefined ? {} : { error: withoutSecrets(error) }),
  };
}

/** How a run stands by its newest save. */
export function statusOf(save: SaveView | undefined): RunStatus {
  switch (save?.cause) {
    case "end":
      return "finished";
    case "interrupt":
      return "waiting";
    case "failure":
      return "failed";
    case "fork":
      return "stopped";
    default:
      return "ready";
  }
}
