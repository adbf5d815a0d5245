import type { HistoryEntry } from "../checkpoint/history/history-entry.js";
import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import { isStopInfo } from "../checkpoint/pause/stop-info.js";
import { isFields } from "../is.js";
import type { AskedView, RunStatus, SaveView, ValueView } from "./api.js";
import { placeOf } from "./span-view.js";
import { withoutSecrets } from "./wire-value.js";

/** `show` is what is shown of a value. */
export function saveView(entry: HistoryEntry, show: (value: unknown) => ValueView): SaveView {
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
    ...(cause === "interrupt" && { asked: interrupts.map((interrupt) => askedView(interrupt, show)) }),
    ...(error === undefined ? {} : { error: withoutSecrets(error) }),
  };
}

export function askedView(asked: Interrupt, show: (value: unknown) => ValueView): AskedView {
  const { id, address, key, info } = asked;
  const { path } = placeOf(address);
  return { id, address, path, kind: kindOf(asked), ...(key !== undefined && { key }), info: show(info) };
}

function kindOf({ info, schema }: Interrupt): AskedView["kind"] {
  if (isStopInfo(info)) return "stop";
  if (schema === undefined) return "text";
  const { properties } = schema as { readonly properties?: unknown };
  const isApproval =
    isFields(info) && info.kind === "tool_approval" && isFields(properties) && "approved" in properties;
  return isApproval ? "approval" : "ask";
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
