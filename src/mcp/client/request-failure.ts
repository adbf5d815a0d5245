import { isFields } from "../../is.js";
import { streamEnded, Unreachable } from "./guarded-fetch.js";
import { isModern } from "./new-client.js";

const nonsenseCodes: readonly unknown[] = [
  "INVALID_RESULT",
  "UNSUPPORTED_RESULT_TYPE",
  "CLIENT_HTTP_UNEXPECTED_CONTENT",
];

/** Whether the response is not one that the protocol defines. */
export function isNonsense(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return nonsenseCodes.includes(Reflect.get(error, "code")) || /^(SyntaxError|\$?ZodError)$/.test(error.name);
}

/** Whether only the answer of this request was lost. */
export function isCutOff(error: unknown): boolean {
  return isFields(error) && error.data === streamEnded;
}

const lostCodes: readonly unknown[] = ["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"];

/** Whether no server has answered at all. */
export function isUnreachable(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof Unreachable) return true;
  }
  return false;
}

/** Whether a request failed because there is no connection, and not because of what it was. */
export function isConnectionLost(error: unknown, client: object): boolean {
  if (isUnreachable(error)) return true;
  for (let current = error; current instanceof Error; current = current.cause) {
    if (lostCodes.includes(Reflect.get(current, "code"))) return true;
    if (Reflect.get(current, "status") === 404 && !isModern(client)) return true; // its session is gone
  }
  return false;
}
