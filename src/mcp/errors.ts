import { KumikoError, messageOf } from "../errors.js";
import { shorten } from "../schema/shorten.js";

export const mcpPackageMissing = (name: string, purpose: string, cause: unknown): KumikoError =>
  new KumikoError("PACKAGE_MISSING", `${purpose} needs the package ${name}. Install it: npm install ${name}`, {
    cause,
  });

export const invalidMcpOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const unknownMcpOption = (where: string, name: string, known: readonly string[]): KumikoError =>
  invalidMcpOption(`Unknown option "${name}" of ${where}. Options: ${known.join(", ")}.`);

export const invalidMcpValue = (name: string, rule: string, given: unknown): KumikoError =>
  invalidMcpOption(`${name} must be ${rule}, but is ${shorten(given)}.`);

// client

export const connectFailed = (server: string, cause: unknown): KumikoError =>
  new KumikoError(
    "MCP_CONNECT_FAILED",
    `The MCP server "${server}" could not be reached. Check its command or url, or make it optional: true. ${messageOf(cause)}`,
    { cause },
  );

export const connectTimedOut = (ms: number): Error =>
  new Error(`It did not answer within ${ms} ms (connectTimeoutMs).`);

export const disconnected = (server: string, cause: unknown): KumikoError =>
  new KumikoError("MCP_DISCONNECTED", `The connection to the MCP server "${server}" was lost. ${messageOf(cause)}`, {
    cause,
  });

export const callCutOff = (server: string, tool: string, sent: number, cause: unknown): KumikoError =>
  new KumikoError(
    "MCP_DISCONNECTED",
    `The connection to the MCP server "${server}" was lost during a call of "${tool}", which may have run. It is not repeated, ` +
      `${sent > 1 ? `because that happened ${sent} times` : "because the tool has neither readOnlyHint nor idempotentHint"}. ${messageOf(cause)}`,
    { cause },
  );

export const mcpConnectionClosed = (): KumikoError =>
  new KumikoError("MCP_DISCONNECTED", "The connection was closed with close(). Call connectMcp again.");

export const unknownServer = (server: string, known: readonly string[]): KumikoError =>
  invalidMcpOption(`"${server}" is not a server of this connection. Servers: ${known.join(", ") || "none"}.`);

export const unknownIncluded = (server: string, missing: readonly string[], known: readonly string[]): KumikoError =>
  invalidMcpOption(
    `include of the MCP server "${server}" names ${missing.map((name) => JSON.stringify(name)).join(", ")}, which it does not have. ` +
      `Its tools: ${known.join(", ") || "none"}.`,
  );

export const sameToolName = (name: string, first: string, second: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_TOOL",
    first === second
      ? `The MCP server "${first}" lists two tools that are both called "${name}" here. Exclude the tool.`
      : `The MCP servers "${first}" and "${second}" both have a tool that is called "${name}" here. Give one of them a prefix, or exclude the tool.`,
  );

export const protocolError = (server: string, what: string, cause?: unknown): KumikoError =>
  new KumikoError("MCP_PROTOCOL", `The MCP server "${server}" ${what}`, cause === undefined ? {} : { cause });

export const notMcp = (server: string, name: string, cause: unknown): KumikoError =>
  protocolError(
    server,
    `answered "${name}" with what is not MCP. ${messageOf(cause).replace(/\s+/g, " ").slice(0, 200)}`,
    cause,
  );

export const tooManyRounds = (server: string, name: string, most: number): KumikoError =>
  protocolError(
    server,
    `asked for input ${most} times during one call of "${name}", which is the limit, and asked again.`,
  );

export const stateRejected = (server: string, name: string, ageMs: number, cause: unknown): KumikoError =>
  protocolError(
    server,
    `rejected the state of a resumed call of "${name}". The state is ${ageOf(ageMs)} old; start the call again. ${messageOf(cause)}`,
    cause,
  );

export const cannotAsk = (server: string, what: string): KumikoError =>
  protocolError(
    server,
    `asks for input (${what}) outside of a run, where the user cannot be asked. Use the tool, loader or template in a run.`,
  );

export const responseTooLarge = (limit: number): KumikoError =>
  new KumikoError(
    "MCP_PROTOCOL",
    `The answer of the server exceeds ${limit} bytes, and was not read to its end. Ask for less at once.`,
  );

function ageOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
