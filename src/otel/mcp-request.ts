import type { Fields } from "../is.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { Attributes } from "./api.js";
import { errorType } from "./errors.js";

/** The span and metric attributes of an MCP request, by the MCP conventions. */
export interface McpRequestForm {
  readonly attributes: Attributes;
  /** The attributes of metrics. */
  readonly dimensions: Attributes;
  readonly milliseconds: number;
}

export function mcpRequestForm(request: Fields): McpRequestForm {
  const { method, tool, durationMs, protocolVersion, sessionId, transport, address, port, isError, error } = request;
  const code = rpcCode(error);
  const shared = withoutUndefined({
    "mcp.method.name": text(method),
    "mcp.protocol.version": text(protocolVersion),
    "network.transport": text(transport),
    "server.address": text(address),
    "server.port": typeof port === "number" ? port : undefined,
    "rpc.response.status_code": code,
  });
  return {
    attributes: withoutUndefined({
      ...shared,
      "mcp.session.id": text(sessionId),
      "kumiko.mcp.server": text(request.server),
    }),
    dimensions: withoutUndefined({
      ...shared,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": text(tool),
      "error.type": code ?? (isError === true ? "tool_error" : error === undefined ? undefined : errorType(error)),
    }),
    milliseconds: typeof durationMs === "number" ? durationMs : 0,
  };
}

/** The code of an error that the server answered with. */
function rpcCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "number" ? String(code) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
