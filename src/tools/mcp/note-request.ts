import type { ToolContext } from "../../components/tool.js";
import { type Fields, isFields } from "../../is.js";

/** What is known of a request to an MCP server before it is sent. */
export interface McpRequest {
  readonly method: string;
  /** The name of the tool as its server knows it. */
  readonly tool: string;
  readonly client: object;
  /** Where the server is, and what the program calls it. */
  readonly place?: Fields | undefined;
}

/**
 * Sends a request, and notes for the run of the tool how it went: how long it took, with which revision, in which session, and
 * how it failed. Handlers find it in the `meta` of the run.
 */
export async function noteRequest(
  ctx: ToolContext,
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

/** A context that was made by hand has no run to note anything for. */
function takesNotes(ctx: object): ctx is { noteRequest(request: Fields): void } {
  return "noteRequest" in ctx;
}

/** A client that cannot say where it is connected does not fail the call. */
function sessionOf(client: object): Fields {
  try {
    return readSession(client);
  } catch {
    return {};
  }
}

/** The revision and the session, where the client of an MCP package shows them. */
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
