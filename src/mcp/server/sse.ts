import { principalOf, refusal } from "./gate.js";
import type { McpAuthInfo } from "./options.js";
import { type JSONRPCMessage, loadServer, type MessageExtraInfo, type Server, type Transport } from "./sdk.js";
import { type Session, SessionTable } from "./session-table.js";

/**
 * The server side of the transport of 2024-11-05: sends messages as events of one stream, and receives them as POST
 * requests.
 */
export class SseServerTransport implements Transport {
  readonly sessionId = globalThis.crypto.randomUUID();
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  readonly #endpoint: string;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  /** The release functions of the open requests of the client, by request id. */
  readonly #running = new Map<string | number, () => void>();

  constructor(messagePath: string) {
    this.#endpoint = `${messagePath}?sessionId=${this.sessionId}`;
  }

  /** Opens the event stream. Its first event is the address for POST requests. */
  open(): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        this.#write(`event: endpoint\ndata: ${this.#endpoint}\n\n`);
        // proxies may close an idle connection
        this.#keepAlive = setInterval(() => this.#write(": still here\n\n"), 15_000);
      },
      cancel: () => this.close(),
    });
    const headers = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" };
    return new Response(body, { headers });
  }

  /**
   * Receives a message. For a request, calls `hold`, and the function it returns once the request is answered or cancelled.
   */
  receive(message: JSONRPCMessage, extra: MessageExtraInfo, hold: () => () => void): void {
    if ("method" in message && "id" in message) {
      this.#end(message.id);
      this.#running.set(message.id, hold());
    } else if ("method" in message && message.method === "notifications/cancelled") {
      this.#end(message.params?.requestId);
    }
    this.onmessage?.(message, extra);
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message)) this.#end(message.id);
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async close(): Promise<void> {
    const controller = this.#controller;
    if (controller === undefined) return;
    this.#controller = undefined;
    clearInterval(this.#keepAlive);
    try {
      controller.close();
    } catch {
      // the client has closed the stream
    }
    this.onclose?.();
  }

  #end(id: unknown): void {
    const end = this.#running.get(id as string | number);
    this.#running.delete(id as string | number);
    end?.();
  }

  #write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }
}

interface SseSession extends Session {
  readonly server: Server;
  readonly transport: SseServerTransport;
  readonly subscriptions: ReadonlySet<string>;
}

export interface SsePaths {
  readonly ssePath: string;
  readonly messagePath: string;
}

/** The sessions of the transport of 2024-11-05, one per stream. */
export class SseSessions {
  readonly #newServer: (subscriptions: Set<string>) => Promise<Server>;
  readonly #maxBodyBytes: number | undefined;
  readonly #table = new SessionTable<SseSession>();
  latest: SseServerTransport | undefined;

  constructor(newServer: (subscriptions: Set<string>) => Promise<Server>, maxBodyBytes: number | undefined) {
    this.#newServer = newServer;
    this.#maxBodyBytes = maxBodyBytes;
  }

  get sessions(): SseSession[] {
    return this.#table.sessions;
  }

  async fetch(request: Request, path: string, paths: SsePaths, authInfo: McpAuthInfo | undefined): Promise<Response> {
    if (path === paths.ssePath && request.method === "GET") return this.#open(paths.messagePath, authInfo);
    if (path === paths.messagePath && request.method === "POST") return this.#post(request, authInfo);
    if (path === paths.ssePath || path === paths.messagePath) return refusal(405, "Method not allowed");
    return refusal(404, "Not found");
  }

  close(): Promise<void> {
    return this.#table.close();
  }

  async #open(messagePath: string, authInfo: McpAuthInfo | undefined): Promise<Response> {
    if (this.#table.isFull) return refusal(503, "Too many sessions");
    const subscriptions = new Set<string>();
    const server = await this.#newServer(subscriptions);
    const transport = new SseServerTransport(messagePath);
    const { sessionId } = transport;
    await server.connect(transport);
    const ended = server.onclose;
    server.onclose = () => {
      ended?.();
      this.#table.delete(sessionId);
      if (this.latest === transport) this.latest = undefined;
    };
    const close = () => server.close();
    this.#table.add(sessionId, { server, transport, subscriptions, principal: principalOf(authInfo), close });
    this.latest = transport;
    return transport.open();
  }

  async #post(request: Request, authInfo: McpAuthInfo | undefined): Promise<Response> {
    const id = new URL(request.url).searchParams.get("sessionId") ?? "";
    const session = this.#table.find(id, principalOf(authInfo));
    if (session === undefined) return refusal(404, "Session not found");
    const { isJsonContentType, parseJSONRPCMessage, readRequestBody } = await loadServer();
    if (!isJsonContentType(request.headers.get("content-type")))
      return refusal(415, "The body must be application/json");
    const body = await readRequestBody(request, this.#maxBodyBytes);
    if (body.tooLarge) return refusal(413, "The body is too large");
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(body.text));
    } catch {
      return refusal(400, "The body is not a JSON-RPC message");
    }
    const extra = { request, ...(authInfo !== undefined && { authInfo: authInfo as never }) };
    session.transport.receive(message, extra, () => this.#table.hold(id));
    return new Response("Accepted", { status: 202 });
  }
}
