import { isFields } from "../../is.js";
import type { ConnectFailure } from "../errors.js";
import { streamEnded, Unreachable } from "./guarded-fetch.js";
import { isModern } from "./new-client.js";
import { ProgramEnded } from "./program-end.js";

const invalidResponseCodes: readonly unknown[] = [
  "INVALID_RESULT",
  "UNSUPPORTED_RESULT_TYPE",
  "CLIENT_HTTP_UNEXPECTED_CONTENT",
];

/** Whether the response violates the protocol. */
export function isInvalidResponse(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return invalidResponseCodes.includes(Reflect.get(error, "code")) || /^(SyntaxError|\$?ZodError)$/.test(error.name);
}

/** Whether only the answer to this request was lost, and not the connection. */
export function isCutOff(error: unknown): boolean {
  return isFields(error) && error.data === streamEnded;
}

/** The cause of an error of a connection attempt. */
export function connectFailureOf(error: unknown): ConnectFailure {
  if (error instanceof ProgramEnded) return "program";
  if (isInvalidResponse(error)) return "response";
  const statuses = causesOf(error).map(({ status }) => status);
  return statuses.includes(401) || statuses.includes(403) || isNamed(error, "UnauthorizedError")
    ? "refused"
    : "unreachable";
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && (error.name === name || error.constructor.name === name);
}

const lostCodes: readonly unknown[] = ["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"];

/** Whether the request failed at the network, without any response. */
export function isUnreachable(error: unknown): boolean {
  return causesOf(error).some(({ cause }) => cause instanceof Unreachable);
}

/** Whether a request failed because the connection or its session is gone. */
export function isConnectionLost(error: unknown, client: object): boolean {
  if (isUnreachable(error) || isSessionLost(error, client)) return true;
  return causesOf(error).some(({ code }) => lostCodes.includes(code));
}

/**
 * Whether the server no longer knows the session, as after a restart. The specification demands the status 404; some servers
 * answer 400 instead. Since 2026-07-28 there are no sessions.
 */
export function isSessionLost(error: unknown, client: object): boolean {
  if (isModern(client)) return false;
  return causesOf(error).some(
    ({ status, cause }) => status === 404 || (status === 400 && /session/i.test(cause.message)),
  );
}

const notSentCodes: readonly unknown[] = [
  ...["NOT_CONNECTED", "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
  "UND_ERR_CONNECT_TIMEOUT",
];

/** Whether the failure proves that the server has not processed the request, so that it can be sent again. */
export function wasNotProcessed(error: unknown, client: object): boolean {
  return isSessionLost(error, client) || causesOf(error).some(({ code }) => notSentCodes.includes(code));
}

interface Cause {
  readonly cause: Error;
  readonly code: unknown;
  readonly status: unknown;
}

/** An error and its causes. */
function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = [];
  for (let current = error; current instanceof Error && causes.length < 10; current = current.cause) {
    causes.push({ cause: current, code: Reflect.get(current, "code"), status: Reflect.get(current, "status") });
  }
  return causes;
}
