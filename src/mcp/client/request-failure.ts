import { isFields } from "../../is.js";
import { streamEnded, Unreachable } from "./guarded-fetch.js";
import { isModern } from "./new-client.js";

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

const lostCodes: readonly unknown[] = ["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"];

/** Whether the request failed at the network, without any response. */
export function isUnreachable(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof Unreachable) return true;
  }
  return false;
}

/** Whether a request failed because the connection or its session is gone. */
export function isConnectionLost(error: unknown, client: object): boolean {
  if (isUnreachable(error)) return true;
  for (let current = error; current instanceof Error; current = current.cause) {
    if (lostCodes.includes(Reflect.get(current, "code"))) return true;
    if (Reflect.get(current, "status") === 404 && !isModern(client)) return true; // the session is gone
  }
  return false;
}
