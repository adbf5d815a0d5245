import { guardedFetch, largestAnswer } from "./guarded-fetch.js";
import type { McpCommand, McpEndpoint, McpServerConfig } from "./options.js";
import { loadClient, loadStdioClient, type Transport } from "./sdk.js";

/** A new transport for a server. One that was given can be used once. */
export async function openTransport(config: McpServerConfig): Promise<Transport> {
  if ("command" in config) return stdioTransport(config);
  if ("url" in config) return httpTransport(config);
  if ("transport" in config) return config.transport as Transport;
  throw new TypeError("A client that was given has its transport already.");
}

async function stdioTransport({ command, args, env, cwd, stderr }: McpCommand): Promise<Transport> {
  const { StdioClientTransport, getDefaultEnvironment } = await loadStdioClient();
  return new StdioClientTransport({
    command,
    args: [...(args ?? [])],
    env: { ...getDefaultEnvironment(), ...env },
    maxBufferSize: largestAnswer,
    ...(cwd !== undefined && { cwd }),
    ...(stderr !== undefined && { stderr }),
  });
}

async function httpTransport({ url, headers = {}, authProvider, fetch, sse }: McpEndpoint): Promise<Transport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await loadClient();
  const endpoint = new URL(url);
  const options = {
    fetch: guardedFetch(endpoint, headers, fetch),
    redirectPolicy: "same-origin" as const,
    ...(authProvider !== undefined && { authProvider: authProvider as never }),
  };
  return sse === true
    ? new SSEClientTransport(endpoint, options)
    : new StreamableHTTPClientTransport(endpoint, options);
}

/**
 * Keeps a server with a handshake from hearing of what only a run that waits can answer: such a server asks during a call,
 * which cannot wait. Which kind of server it is turns out at the handshake.
 */
export function hideAtHandshake(transport: Transport, hidden: readonly string[]): void {
  if (hidden.length === 0) return;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(withoutCapabilities(message, hidden), options);
}

type Message = Parameters<Transport["send"]>[0];

function withoutCapabilities(message: Message, hidden: readonly string[]): Message {
  if (!("method" in message) || message.method !== "initialize" || message.params === undefined) return message;
  const { capabilities } = message.params;
  if (typeof capabilities !== "object" || capabilities === null) return message;
  const kept = Object.entries(capabilities).filter(([name]) => !hidden.includes(name));
  return { ...message, params: { ...message.params, capabilities: Object.fromEntries(kept) } };
}
