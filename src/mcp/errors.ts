import { KumikoError, messageOf } from "../errors.js";
import { shorten } from "../schema/shorten.js";

export const invalidMcpOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const invalidMcpValue = (name: string, rule: string, given: unknown): KumikoError =>
  invalidMcpOption(`${name} must be ${rule} (got ${shorten(given)}).`);

// client

/** The cause of a failed connection; it decides what to check. */
export type ConnectFailure = "unreachable" | "program" | "refused" | "response";

const whatToCheck: Readonly<Record<ConnectFailure, string>> = {
  unreachable: "could not be reached. Check its command or url",
  program: "did not start. Check its command, args and env",
  refused: "refused the connection. Check its url, headers and authProvider",
  response:
    "was reached, but its response is not valid MCP. Check whether it is an MCP server, or report this to its author",
};

export const connectFailed = (server: string, failure: ConnectFailure, cause: unknown): KumikoError =>
  new KumikoError(
    "MCP_CONNECT_FAILED",
    `The MCP server "${server}" ${whatToCheck[failure]}, or set optional: true. Cause: ${messageOf(cause)}`,
    { cause },
  );

export const connectTimedOut = (ms: number): Error =>
  new Error(`The server did not respond within ${ms} ms (connectTimeoutMs).`);

export const disconnected = (server: string, cause: unknown): KumikoError =>
  new KumikoError(
    "MCP_DISCONNECTED",
    `The connection to the MCP server "${server}" was lost. Cause: ${messageOf(cause)}`,
    {
      cause,
    },
  );

/** The server refused each attempt of a call without processing it. */
export const callNotAccepted = (server: string, tool: string, sent: number, cause: unknown): KumikoError =>
  new KumikoError(
    "MCP_DISCONNECTED",
    `The MCP server "${server}" did not accept a call of "${tool}" in ${sent} attempts. The call did not run. Cause: ${messageOf(cause)}`,
    { cause },
  );

export const callCutOff = (server: string, tool: string, sent: number, cause: unknown): KumikoError =>
  new KumikoError(
    "MCP_DISCONNECTED",
    `The connection to the MCP server "${server}" was lost during a call of "${tool}", which may have run. The call is not repeated, because ` +
      `${sent > 1 ? `this has happened ${sent} times` : "the tool has neither readOnlyHint nor idempotentHint"}. Cause: ${messageOf(cause)}`,
    { cause },
  );

export const mcpConnectionClosed = (): KumikoError =>
  new KumikoError(
    "MCP_DISCONNECTED",
    "This MCP connection was closed with close(). Call connectMcp to open a new one.",
  );

export const unknownServer = (server: string, known: readonly string[]): KumikoError =>
  invalidMcpOption(`Unknown MCP server "${server}". Servers of this connection: ${known.join(", ") || "none"}.`);

/** `skipped` are the reasons why tools were left out, by their names. */
export const unknownIncluded = (
  server: string,
  missing: readonly string[],
  known: readonly string[],
  skipped: ReadonlyMap<string, string>,
): KumikoError => {
  const names = missing.map((name) => {
    const reason = skipped.get(name);
    return reason === undefined ? JSON.stringify(name) : `${JSON.stringify(name)} (left out: ${reason})`;
  });
  return invalidMcpOption(
    `include of the MCP server "${server}" names tools that the server does not have: ` +
      `${names.join(", ")}. Its tools: ${known.join(", ") || "none"}.`,
  );
};

export const sameToolName = (name: string, first: string, second: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_TOOL",
    `The MCP servers "${first}" and "${second}" both have a tool that gets the name "${name}". Give one server a prefix, or exclude the tool.`,
  );

export const protocolError = (server: string, what: string, cause?: unknown): KumikoError =>
  new KumikoError("MCP_PROTOCOL", `The MCP server "${server}" ${what}`, cause === undefined ? {} : { cause });

export const notMcp = (server: string, name: string, cause: unknown): KumikoError =>
  protocolError(
    server,
    `answered "${name}" with something other than MCP. Cause: ${messageOf(cause).replace(/\s+/g, " ").slice(0, 200)}`,
    cause,
  );

export const tooManyRounds = (server: string, name: string, max: number): KumikoError =>
  protocolError(
    server,
    `asked for input ${max} times during one call of "${name}", which is the limit, and then again.`,
  );

export const stateRejected = (server: string, name: string, ageMs: number, cause: unknown): KumikoError =>
  protocolError(
    server,
    `rejected the state of a resumed call of "${name}". The state is ${ageOf(ageMs)} old. Start the call again. Cause: ${messageOf(cause)}`,
    cause,
  );

export const cannotAsk = (server: string, what: string): KumikoError =>
  protocolError(
    server,
    `asked for input (${what}) outside a run, where nobody can be asked. Use the tool, loader or template in a run.`,
  );

export const responseTooLarge = (limit: number): KumikoError =>
  new KumikoError(
    "MCP_PROTOCOL",
    `The response of the MCP server exceeds ${limit} bytes and was not read to the end. Request less data at a time.`,
  );

function ageOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
