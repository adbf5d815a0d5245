import type { ToolContext } from "../../components/tool.js";
import { type Fields, isFields } from "../../is.js";

/** The facts about a request to an MCP server that are known before it is sent. */
export interface McpRequest {
  readonly method: string;
  /** The name of the tool on its server. */
  readonly tool: string;
  readonly client: object;
  /** The address of the server, and its name in the program. */
  readonly place?: Fields | undefined;
}

/**
 * Sends a request and records, for the run of the tool, its duration, protocol revision, session and error. Handlers find the record
 * in the `meta` of the run.
 */
export async function noteRequest(
  ctx: ToolContext | undefined,
  request: McpRequest,
  send: () => Promise<unknown>,
): Promise<unknown> {
  if (!takesNotes(ctx)) return send();
  const startedAt = performance.now();
  const note = (outcome: Fields): void => {
    const durationMs = performance.now() - startedAt;
    const { method, tool, client, place } = request;
    ctx.noteRequest({ method, tool, ...place, ...sessionOf(client), durationMs, ...outcome });
  };
  try {
    const result = await send();
    note(isFields(result) && result.isError === true ? { isError: true } : {});
    return result;
  } catch (error) {
    note({ error });
    throw error;
  }
}

/** Outside of a run there is nothing to record anything for. */
function takesNotes(ctx: object | undefined): ctx is { noteRequest(request: Fields): void } {
  return ctx !== undefined && "noteRequest" in ctx;
}

/** If a client cannot say what it is connected to, the call does not fail. */
function sessionOf(client: object): Fields {
  try {
    return readSession(client);
  } catch {
    return {};
  }
}

/** The revision and the session, if the client exposes them. */
function readSession(client: object): Fields {
  const transport = read(client, "transport");
  const negotiated = read(client, "getNegotiatedProtocolVersion");
  const protocolVersion =
    typeof negotiated === "function" ? negotiated.call(client) : read(transport, "protocolVersion");
  const sessionId = read(transport, "sessionId");
  return {
    ...(typeof protocolVersion === "string" && { protocolVersion }),
    ...(typeof sessionId === "string" && { sessionId }),
  };
}

function read(owner: unknown, name: string): unknown {
  return typeof owner === "object" && owner !== null ? Reflect.get(owner, name) : undefined;
}
