import type { Fields } from "../../is.js";

/** An error with a code of JSON-RPC. Its message and data are all that a client sees of it. */
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

export const tooManyPending = (most: number): WireError =>
  new WireError(internalError, `${most} calls wait for an answer already. Answer one of them, or try again later.`);

export const failed = (message: string): WireError => new WireError(internalError, message);
