import type { Fields } from "../../is.js";
import { responseTooLarge } from "../errors.js";
import { guardedFetch, largestAnswer } from "./guarded-fetch.js";
import type { McpCommand, McpEndpoint, McpServerConfig } from "./options.js";
import { type Client, loadClient, loadStdioClient, type Transport } from "./sdk.js";
import { withLimit } from "./timing.js";

/**
 * A new transport for a server. One that was given can be used once. `onBroken` is told why it cannot go on, where that would
 * not end the requests that are under way, or not soon.
 */
export async function openTransport(config: McpServerConfig, onBroken: (error: Error) => void): Promise<Transport> {
  if ("command" in config) return stdioTransport(config, onBroken);
  if ("url" in config) return httpTransport(config, onBroken);
  if ("transport" in config) return config.transport as Transport;
  throw new TypeError("A client that was given has its transport already.");
}

/** Where a server is, as far as its settings say. */
export function addressOf(config: McpServerConfig): Fields {
  if ("command" in config) return { transport: "pipe" };
  if (!("url" in config)) return {};
  const { hostname, port, protocol } = new URL(config.url);
  return { transport: "tcp", address: hostname, port: Number(port) || (protocol === "http:" ? 80 : 443) };
}

async function stdioTransport(
  { command, args, env, cwd, stderr }: McpCommand,
  onBroken: (error: Error) => void,
): Promise<Transport> {
  const { StdioClientTransport, getDefaultEnvironment } = await loadStdioClient();
  // of its own class the client starts the program twice: once only to ask which revisions it speaks
  class ProgramTransport extends StdioClientTransport {}
  const transport = new ProgramTransport({
    command,
    args: [...(args ?? [])],
    env: { ...getDefaultEnvironment(), ...env },
    maxBufferSize: largestAnswer,
    ...(cwd !== undefined && { cwd }),
    ...(stderr !== undefined && { stderr }),
  });
  transport.onerror = ({ message }) => {
    // it reads no further then, but its program may take seconds to end
    if (message.includes("exceeded maximum size")) onBroken(responseTooLarge(largestAnswer));
  };
  return transport;
}

async function httpTransport(
  { url, headers = {}, authProvider, fetch, sse }: McpEndpoint,
  onBroken: (error: Error) => void,
): Promise<Transport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await loadClient();
  const endpoint = new URL(url);
  const options = {
    // with one stream for all answers, its end is that of the session: the SDK would open another one without a handshake
    fetch: guardedFetch(endpoint, headers, fetch, sse === true ? onBroken : undefined),
    redirectPolicy: "same-origin" as const,
    ...(authProvider !== undefined && { authProvider: authProvider as never }),
  };
  return sse === true
    ? new SSEClientTransport(endpoint, options)
    : new StreamableHTTPClientTransport(endpoint, options);
}

/** How long a server may take to end a session. */
const endMs = 1_000;

/** Closes a client. A server with sessions is told that this one is over: it would keep it for a while, and has only so many. */
export async function endClient(client: Client): Promise<void> {
  const { transport } = client;
  const end: unknown = transport === undefined ? undefined : Reflect.get(transport, "terminateSession");
  if (typeof end === "function") {
    const late = () => new Error(`The session was not ended within ${endMs} ms.`);
    const ended = withLimit(endMs, new AbortController().signal, late, async () => Reflect.apply(end, transport, []));
    await ended.catch(() => undefined);
  }
  await client.close();
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
