import type { InterruptError } from "../checkpoint/pause/interrupt.js";
import { isStopInfo } from "../checkpoint/pause/stop-info.js";
import type { KumikoError } from "../errors.js";
import { askedWithoutStore } from "./errors.js";
import { isMcpApproval } from "./interrupt-kinds.js";

/**
 * The error of a run without a store: nobody could answer a question that is kept nowhere. `undefined` for a requested stop, which needs no
 * answer, and for a provider's question, which is in the log.
 */
export function lostQuestion(error: InterruptError): KumikoError | undefined {
  const isKept = error.interrupts.every((interrupt) => isStopInfo(interrupt.info) || isMcpApproval(interrupt));
  return isKept ? undefined : askedWithoutStore(error);
}
