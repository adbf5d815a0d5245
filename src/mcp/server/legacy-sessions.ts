import { principalOf, refusal } from "./gate.js";
import type { McpAuthInfo } from "./options.js";
import {
  type EventStore,
  type JSONRPCMessage,
  loadServer,
  type Server,
  type WebStandardStreamableHTTPServerTransport,
} from "./sdk.js";
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

interface StoredEvent {
  readonly id: string;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
}

/** How many events a session keeps. */
const maxEvents = 256;

/** The last events of a session, so that a client whose stream was cut off can resume it. */
class SessionEvents implements EventStore {
  readonly #events: StoredEvent[] = [];
  #count = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const id = `${streamId}:${this.#count}`;
    this.#events.push({ id, streamId, message });
    if (this.#events.length > maxEvents) this.#events.shift();
    return id;
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.#events.find(({ id }) => id === eventId)?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.#events.findIndex(({ id }) => id === lastEventId);
    const streamId = this.#events[from]?.streamId ?? lastEventId.slice(0, lastEventId.lastIndexOf(":"));
    for (const event of this.#events.slice(from + 1)) {
      // the first event of a stream has no message: it only carries an id
      if (event.streamId === streamId && Object.keys(event.message).length > 0) await send(event.id, event.message);
    }
    return streamId;
  }
}
