import { hasMethod, isFields } from "../../is.js";
import { invalidMcpOption } from "../errors.js";
import { Gate, refusal, serverClosed } from "./gate.js";
import { LegacySessions } from "./legacy-sessions.js";
import { answerNodeRequest, type NodeRequest, type NodeResponse } from "./node-exchange.js";
import type { McpAuthInfo } from "./options.js";
import { type ClientLink, protocolServer, requestServer, type ServerParts } from "./protocol.js";
import { reportError } from "./report-error.js";
import {
  loadServer,
  loadStdioServer,
  type McpHttpHandler,
  type Server,
  type StdioServerHandle,
  type StdioServerTransport,
} from "./sdk.js";
import { type SsePaths, SseSessions } from "./sse.js";

/** A change that clients may be notified of. */
export type ServerChange =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** A client with a lasting connection, over which it is notified of changes. */
interface LiveClient {
  readonly server: Server;
  readonly isModern: boolean;
  readonly subscriptions: ReadonlySet<string>;
}

const stateless =
  'this server keeps no sessions (legacy: "stateless"), so a client of an older revision cannot be asked during a call.';

/** Serves clients over every transport. */
export class Serving {
  readonly #parts: () => Promise<ServerParts>;
  readonly #gate: Gate;
  readonly #closing = new AbortController();
  readonly #stdioClients = new Set<LiveClient>();
  #http: Promise<McpHttpHandler> | undefined;
  #handler: McpHttpHandler | undefined;
  #legacy: LegacySessions | undefined;
  #sse: SseSessions | undefined;
  #honoSse: SseSessions | undefined;
  #stdio: { readonly handle: StdioServerHandle; readonly transport: StdioServerTransport } | undefined;
  readonly #options: ServerParts["options"];
  readonly #maxBodyBytes: number | undefined;

  constructor(options: ServerParts["options"], parts: () => Promise<ServerParts>) {
    this.#options = options;
    // the SDK takes no infinite limit
    this.#maxBodyBytes = options.maxBodyBytes && Math.min(options.maxBodyBytes, Number.MAX_SAFE_INTEGER);
    this.#gate = new Gate(options);
    this.#parts = parts;
  }

  get stdioTransport(): StdioServerTransport | undefined {
    return this.#stdio?.transport;
  }

  get sseTransport(): object | undefined {
    return this.#sse?.latest;
  }

  get honoSseTransport(): object | undefined {
    return this.#honoSse?.latest;
  }

  get httpHandler(): McpHttpHandler | undefined {
    return this.#handler;
  }

  async fetch(request: Request, given: McpAuthInfo | undefined): Promise<Response> {
    return this.#admit(request, given, async (authInfo) => {
      const sdk = await loadServer();
      const body = await this.#bodyOf(request, sdk);
      if (body instanceof Response) return body;
      const options = { ...(authInfo !== undefined && { authInfo: authInfo as never }), ...body };
      const handler = await this.#httpHandler();
      const { legacy = "sessions" } = this.#options;
      if (
        legacy === "sessions" &&
        !isModern(body.parsedBody) &&
        (await sdk.isLegacyRequest(request, body.parsedBody))
      ) {
        const maxBodyBytes = this.#maxBodyBytes;
        this.#legacy ??= new LegacySessions({ maxBodyBytes, newServer: (uris) => this.#newLegacyServer(uris) });
        return this.#legacy.fetch(request, authInfo, options);
      }
      return handler.fetch(request, options);
    });
  }

  /** Reads the body once. Otherwise the SDK would clone the request and read it several times. */
  async #bodyOf(
    request: Request,
    { isJsonContentType, readRequestBody }: Awaited<ReturnType<typeof loadServer>>,
  ): Promise<{ readonly parsedBody?: unknown } | Response> {
    if (request.method !== "POST") return {};
    if (!isJsonContentType(request.headers.get("content-type")))
      return refusal(415, "Unsupported Media Type: Content-Type must be application/json");
    const body = await readRequestBody(request, this.#maxBodyBytes);
    if (body.tooLarge) return refusal(413, "The body is too large");
    try {
      return { parsedBody: JSON.parse(body.text) };
    } catch {
      return refusal(400, "Parse error: the request body is not valid JSON", {}, -32700);
    }
  }

  /** Answers a request over the transport of 2024-11-05. */
  async fetchSse(
    request: Request,
    path: string,
    paths: SsePaths,
    given: McpAuthInfo | undefined,
    isHono = false,
  ): Promise<Response> {
    return this.#admit(request, given, async (authInfo) => {
      const sessions = this.#sseSessions(isHono);
      return sessions.fetch(request, path, paths, authInfo);
    });
  }

  #sseSessions(isHono: boolean): SseSessions {
    const known = isHono ? this.#honoSse : this.#sse;
    if (known !== undefined) return known;
    const sessions = new SseSessions((uris) => this.#newLegacyServer(uris), this.#maxBodyBytes);
    if (isHono) this.#honoSse = sessions;
    else this.#sse = sessions;
    return sessions;
  }

  /** Loads what requests need, so that a server without its packages fails when it starts. */
  async load(): Promise<void> {
    await Promise.all([loadServer(), this.#parts()]);
  }

  /** Answers a Node.js request. `parsedBody` is its body, if a middleware has read it. */
  async answer(
    req: NodeRequest,
    res: NodeResponse,
    fetch: (request: Request) => Promise<Response>,
    parsedBody?: unknown,
  ): Promise<void> {
    if (!isFields(req) || !isFields(req.headers) || !hasMethod(res, "writeHead"))
      throw invalidMcpOption("A request to an MCPServer needs req and res: the request and response of Node.js.");
    await this.load();
    await answerNodeRequest(req, res, parsedBody, async (request) => {
      try {
        return await fetch(request);
      } catch (error) {
        reportError(this.#options, "MCPServer could not answer a request.", error);
        return refusal(500, "Internal server error", {}, -32603);
      }
    });
  }

  async startStdio(): Promise<void> {
    this.#throwIfClosed();
    if (this.#stdio !== undefined) return;
    const [{ serveStdio, StdioServerTransport }, sdk, parts] = await Promise.all([
      loadStdioServer(),
      loadServer(),
      this.#parts(),
    ]);
    const transport = new StdioServerTransport();
    const legacy = this.#options.legacy === "off" ? "reject" : "serve";
    const handle = serveStdio(
      ({ era }) => {
        const link = newLink(era === "modern");
        const server = protocolServer(sdk, parts, link);
        const client = { server, isModern: link.isModern, subscriptions: link.subscriptions };
        this.#stdioClients.add(client);
        server.onclose = () => void this.#stdioClients.delete(client);
        return server;
      },
      { transport, legacy },
    );
    this.#stdio = { handle, transport };
  }

  async notify(change: ServerChange): Promise<void> {
    if (change.kind === "resource") this.#handler?.notify.resourceUpdated(change.uri);
    else this.#handler?.notify[`${change.kind}Changed`]();
    const sessions = [
      ...(this.#legacy?.sessions ?? []),
      ...(this.#sse?.sessions ?? []),
      ...(this.#honoSse?.sessions ?? []),
    ];
    const clients: LiveClient[] = [
      ...this.#stdioClients,
      ...sessions.map(({ server, subscriptions }) => ({ server, subscriptions, isModern: false })),
    ];
    await Promise.allSettled(clients.map((client) => notifyClient(client, change)));
  }

  /** Closes every connection. Running calls are aborted. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await Promise.allSettled([
      this.#handler?.close(),
      this.#legacy?.close(),
      this.#sse?.close(),
      this.#honoSse?.close(),
      this.#stdio?.handle.close(),
    ]);
    this.#stdio = undefined;
    this.#handler = undefined;
  }

  async #admit(
    request: Request,
    given: McpAuthInfo | undefined,
    serve: (authInfo: McpAuthInfo | undefined) => Promise<Response>,
  ): Promise<Response> {
    if (this.#closing.signal.aborted) return refusal(503, "The server is closed");
    let admitted: Awaited<ReturnType<Gate["check"]>>;
    try {
      admitted = await this.#gate.check(request, given);
    } catch (error) {
      reportError(this.#options, "MCPServer refused a request, because its caller is unknown.", error);
      return refusal(500, "Internal server error", {}, -32603);
    }
    return admitted instanceof Response ? admitted : serve(admitted.authInfo);
  }

  #httpHandler(): Promise<McpHttpHandler> {
    this.#http ??= this.#newHttpHandler();
    return this.#http;
  }

  async #newHttpHandler(): Promise<McpHttpHandler> {
    const [sdk, parts] = await Promise.all([loadServer(), this.#parts()]);
    const { legacy } = this.#options;
    const maxBodyBytes = this.#maxBodyBytes;
    const handler = sdk.createMcpHandler(
      ({ era }) => {
        const isModern = era === "modern";
        const link: ClientLink = {
          isModern,
          subscriptions: new Set(),
          cannotAskReason: isModern ? undefined : stateless,
        };
        return requestServer(sdk, parts, link);
      },
      {
        legacy: legacy === "stateless" ? "stateless" : "reject",
        ...(maxBodyBytes !== undefined && { maxRequestBodySize: maxBodyBytes }),
      },
    );
    this.#handler = handler;
    return handler;
  }

  async #newLegacyServer(subscriptions: Set<string>): Promise<Server> {
    const [sdk, parts] = await Promise.all([loadServer(), this.#parts()]);
    return protocolServer(sdk, parts, { isModern: false, subscriptions, cannotAskReason: undefined });
  }

  #throwIfClosed(): void {
    if (this.#closing.signal.aborted) throw serverClosed();
  }
}

/** Whether a message names its revision, as those since 2026-07-28 do. A cheap check that spares that of the SDK. */
function isModern(body: unknown): boolean {
  const params = isFields(body) ? body.params : undefined;
  const meta = isFields(params) ? params._meta : undefined;
  return isFields(meta) && "io.modelcontextprotocol/protocolVersion" in meta;
}

function newLink(isModern: boolean): ClientLink {
  return { isModern, subscriptions: new Set(), cannotAskReason: undefined };
}

async function notifyClient({ server, isModern, subscriptions }: LiveClient, change: ServerChange): Promise<void> {
  switch (change.kind) {
    case "tools":
      return server.sendToolListChanged();
    case "prompts":
      return server.sendPromptListChanged();
    case "resources":
      return server.sendResourceListChanged();
    case "resource":
      // since 2026-07-28 the connection itself tracks subscriptions
      if (isModern || subscriptions.has(change.uri)) await server.sendResourceUpdated({ uri: change.uri });
      return undefined;
    default:
      return change satisfies never;
  }
}
