import { SessionEvents } from "./event-store.js";
import { principalOf, refusal } from "./gate.js";
import type { McpAuthInfo } from "./options.js";
import type { Server, WebStandardStreamableHTTPServerTransport } from "./sdk.js";
import { loadServer } from "./sdk.js";
import { type Session, SessionTable } from "./session-table.js";

export interface HttpSession extends Session {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly subscriptions: ReadonlySet<string>;
}

export interface SessionsOptions {
  readonly maxBodyBytes: number | undefined;
  readonly newServer: (subscriptions: Set<string>) => Promise<Server>;
}

type RequestDetails = NonNullable<Parameters<WebStandardStreamableHTTPServerTransport["handleRequest"]>[1]>;

/** The sessions of clients of revisions with a handshake, which can be asked during a call. */
export class LegacySessions {
  readonly #options: SessionsOptions;
  readonly #table = new SessionTable<HttpSession>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get sessions(): HttpSession[] {
    return this.#table.sessions;
  }

  /** Answers a request. `options` has its parsed body and its caller. */
  async fetch(request: Request, authInfo: McpAuthInfo | undefined, options: RequestDetails): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request, authInfo, options);
    const session = this.#table.find(id, principalOf(authInfo));
    if (session === undefined) return refusal(404, "Session not found");
    return this.#table.during(id, () => session.transport.handleRequest(request, options));
  }

  close(): Promise<void> {
    return this.#table.close();
  }

  async #begin(request: Request, authInfo: McpAuthInfo | undefined, options: RequestDetails): Promise<Response> {
    if (!["POST", "GET", "DELETE"].includes(request.method)) return refusal(405, "Method not allowed");
    if (request.method !== "POST") return refusal(400, "A session must start with a POST of an initialize request");
    if (this.#table.isFull) return refusal(503, "Too many sessions");
    const { WebStandardStreamableHTTPServerTransport: Transport } = await loadServer();
    const subscriptions = new Set<string>();
    const server = await this.#options.newServer(subscriptions);
    const { maxBodyBytes } = this.#options;
    const transport = new Transport({
      sessionIdGenerator: () => globalThis.crypto.randomUUID(),
      eventStore: new SessionEvents(),
      retryInterval: 1_000,
      ...(maxBodyBytes !== undefined && { maxRequestBodySize: maxBodyBytes }),
      onsessioninitialized: (id) => {
        const close = () => server.close();
        this.#table.add(id, { server, transport, subscriptions, principal: principalOf(authInfo), close });
      },
    });
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#table.delete(transport.sessionId);
    };
    await server.connect(transport);
    const response = await transport.handleRequest(request, options);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }
}
