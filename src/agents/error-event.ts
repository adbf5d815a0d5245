import { KumikoError, messageOf } from "../errors.js";
import type { EventError } from "./agent-event.js";

/** An error as an event carries it: plain JSON. */
export function errorEvent(error: unknown): EventError {
  const name = error instanceof Error ? error.name : "Error";
  const message = messageOf(error);
  return KumikoError.is(error) ? { code: error.code, name, message } : { name, message };
}
