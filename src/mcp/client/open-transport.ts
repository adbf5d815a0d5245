import type { Fields } from "../../is.js";
import { responseTooLarge } from "../errors.js";
import { withLimit } from "../timing.js";
import { guardedFetch, maxResponseBytes } from "./guarded-fetch.js";
import type { McpCommand, McpEndpoint, McpServerConfig } from "./options.js";
import type { ProgramEnd } from "./program-end.js";
import { type Client, loadClient, loadStdioClient, type Transport } from "./sdk.js";

/**
 * Creates the transport for a server; a custom transport is returned as it is. Calls `onBroken` when the transport breaks in a
 * way that would not end the open requests, or not soon. `end` notes how a program ends.
 */
export async function openTransport(
  config: McpServerConfig,
  end: ProgramEnd,
  onBroken: (error: Error) => void,
): Promise<Transport> {
  if ("command" in config) return stdioTransport(config, end, onBroken);
  if ("url" in config) return httpTransport(config, onBroken);
  if ("transport" in config) return config.transport as Transport;
  throw new TypeError("A client passed as `client` already has its transport.");
}

/** The transport and address of a server, as far as its configuration says. */
export function addressOf(config: McpServerConfig): Fields {
  if ("command" in config) return { transport: "pipe" };
  if (!("url" in config)) return {};
  const { hostname, port, protocol } = new URL(config.url);
  return { transport: "tcp", address: hostname, port: Number(port) || (protocol === "http:" ? 80 : 443) };
}

async function stdioTransport(
  { command, args, env, cwd, stderr }: McpCommand,
  end: ProgramEnd,
  onBroken: (error: Error) => void,
): Promise<Transport> {
  const { StdioClientTransport, getDefaultEnvironment } = await loadStdioClient();
  // if this were StdioClientTransport itself, the client would start the program a second time to ask for its revisions
  class ProgramTransport extends StdioClientTransport {
    override async start(): Promise<void> {
      await super.start();
      end.watch(Reflect.get(this, "_process"));
    }
  }
  const transport = new ProgramTransport({
    command,
    args: [...(args ?? [])],
    env: { ...getDefaultEnvironment(), ...env },
    maxBufferSize: maxResponseBytes,
    ...(cwd !== undefined && { cwd }),
    ...(stderr !== undefined && { stderr }),
  });
  transport.onerror = ({ message }) => {
    // the transport stops reading here, but the program may take seconds to exit
    if (message.includes("exceeded maximum size")) onBroken(responseTooLarge(maxResponseBytes));
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
    // with SSE, the session ends with its stream, but the SDK would open a new stream without a handshake
    fetch: guardedFetch(endpoint, headers, fetch, sse === true ? onBroken : undefined),
    redirectPolicy: "same-origin" as const,
    ...(authProvider !== undefined && { authProvider: authProvider as never }),
  };
  return sse === true
    ? new SSEClientTransport(endpoint, options)
    : new StreamableHTTPClientTransport(endpoint, options);
}

/** How long the server may take to end a session. */
const endMs = 1_000;

/** Closes a client, and ends its session, which the server would otherwise keep open until it expires. */
export async function endClient(client: Client): Promise<void> {
  const { transport } = client;
  const end: unknown = transport === undefined ? undefined : Reflect.get(transport, "terminateSession");
  if (typeof end === "function") {
    const timedOut = () => new Error(`The session was not ended within ${endMs} ms.`);
    const ended = withLimit(endMs, new AbortController().signal, timedOut, async () =>
      Reflect.apply(end, transport, []),
    );
    await ended.catch(() => undefined);
  }
  await client.close();
}

/**
 * Removes capabilities from the handshake. Servers with a handshake ask during a call, where a run cannot wait, so they must not
 * see capabilities that need an interrupt. The kind of server is known only when the handshake is sent.
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
