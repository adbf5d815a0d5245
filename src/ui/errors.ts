import type { EventError } from "../agents/agent-event.js";
import { KumikoError, messageOf } from "../errors.js";
import { shorten } from "../schema/shorten.js";

/** A request body that is not in the form that its client library sends. Respond with status 400. */
export const invalidRequest = (what: string): KumikoError => new KumikoError("INVALID_REQUEST", what);

export const notJson = (cause: unknown): KumikoError =>
  new KumikoError("INVALID_REQUEST", "The body of the request is not valid JSON.", { cause });

export const notARequest = (where: string, given: unknown): KumikoError =>
  invalidRequest(
    `${where} takes the parsed JSON body of a request, which must be an object (got ${shorten(given, { length: 80 })}). Await request.json() first.`,
  );

export const invalidUiOption = (where: string, name: string, rule: string, given: unknown): KumikoError =>
  new KumikoError("INVALID_OPTION", `${name} of ${where} must be ${rule} (got ${shorten(given, { length: 80 })}).`);

export const notAnEventStream = (where: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `${where} takes a stream of events, such as agent.stream(prompt) (got ${shorten(given, { length: 80 })}).`,
  );

export const logFailed = (id: string, cause: unknown): KumikoError =>
  new KumikoError(
    "STORE_FAILED",
    `The events of "${id}" could not be recorded, but the run went on. Cause: ${messageOf(cause)}`,
    { cause },
  );

/** For the last event of a replay, which is sent to clients. */
export const streamCut = (id: string): EventError => ({
  code: "STREAM_CUT",
  name: "KumikoError",
  message: `The recording of "${id}" ends here: its process was stopped, or could not save the rest. Continue the run to get the answer.`,
});

export const logDamaged = (row: string, cause: unknown): KumikoError =>
  new KumikoError("CHECKPOINT_UNREADABLE", `The recorded events in "${row}" cannot be read: ${messageOf(cause)}`, {
    cause,
  });
