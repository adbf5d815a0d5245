import type { Fields } from "../../is.js";

/** An error with a JSON-RPC code. Clients see only its message and data. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly code: number;
  readonly data: Fields | undefined;

  constructor(code: number, message: string, data?: Fields) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const invalidParams = -32602;
const internalError = -32603;

export const unknownToolName = (name: string): WireError => new WireError(invalidParams, `Unknown tool: ${name}`);

export const unknownPrompt = (name: string): WireError => new WireError(invalidParams, `Unknown prompt: ${name}`);

export const missingArgument = (prompt: string, name: string): WireError =>
  new WireError(invalidParams, `The prompt "${prompt}" needs the argument "${name}".`);

export const unknownResource = (uri: string): WireError =>
  new WireError(invalidParams, `Resource not found: ${uri}`, { uri });

export const invalidState = (): WireError =>
  new WireError(invalidParams, "Invalid or expired requestState", { reason: "invalid_request_state" });

export const tooManyPending = (limit: number): WireError =>
  new WireError(
    internalError,
    `${limit} calls are already waiting for an answer, which is the limit. Answer one of them, or try again later.`,
  );

export const failed = (message: string): WireError => new WireError(internalError, message);
