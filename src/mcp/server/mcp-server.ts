import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { checkOptions } from "../../check-options.js";
import { memoryStore } from "../../checkpoint/memory-store.js";
import { RequestContext } from "../../components/request-context.js";
import { isObject } from "../../is.js";
import { jsonSchemaValidator } from "../../schema/json-schema-validator.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { invalidMcpOption, invalidMcpValue } from "../errors.js";
import { CallRunner } from "./call-runner.js";
import { CallSessions, type CallState } from "./call-session.js";
import { checkServerOptions } from "./check-options.js";
import { checkListenHost, principalOf, refusal, serverClosed } from "./gate.js";
import type { NodeExchange } from "./node-exchange.js";
import type { MCPServerOptions, MCPServerRepository, McpAuthInfo } from "./options.js";
import { PromptCalls } from "./prompt-calls.js";
import type { ServerParts } from "./protocol.js";
import { reportError } from "./report-error.js";
import { ResourceCalls } from "./resource-calls.js";
import { contextValuesOf } from "./returned-values.js";
import { loadServer } from "./sdk.js";
import { type RawOutputs, type ServedTool, servedTools } from "./served-tools.js";
import { Serving } from "./serving.js";
import { ToolCalls } from "./tool-calls.js";

/** Information about a server. */
export interface ServerInfo {
  /** The id of the server. */
  readonly id: string;
  /** The name that clients show. */
  readonly name: string;
  /** The version of the server. */
  readonly version: string;
  /** The server's description. */
  readonly description?: string | undefined;
  /** Where the source code is. */
  readonly repository?: MCPServerRepository | undefined;
  /** When this version was released, as an ISO 8601 date. */
  readonly releaseDate: string;
  /** Whether this is the newest version. */
  readonly isLatest: boolean;
}

/** Information about a server, with the details that registries list. */
export interface ServerDetail extends ServerInfo {
  /** The name of the package that is installed. */
  readonly packageCanonical?: string | undefined;
  /** Packages that contain the server. */
  readonly packages?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Where the server runs. */
  readonly remotes?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** A tool as clients see it. */
export interface McpToolInfo {
  /** The name by which the tool is called. */
  readonly name: string;
  /** A title for people. */
  readonly title?: string | undefined;
  /** The tool's description. */
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly inputSchema: object;
  /** The JSON Schema of its structured result. */
  readonly outputSchema?: object | undefined;
  /** Hints for clients, such as `readOnlyHint`. */
  readonly annotations?: object | undefined;
  /** Data of your own, sent as it is. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** The origin of the tool. */
  readonly toolType: ServedTool["kind"];
}

/** Options of `startHTTP`. */
export interface StartHttpOptions extends NodeExchange {
  /** The path of the endpoint. @default "/http" */
  readonly httpPath?: string | undefined;
  /** Alias of `httpPath`. */
  readonly ssePath?: string | undefined;
  /** Ignored, because streamable HTTP has only one path. Accepted so that both transports can share their options. */
  readonly messagePath?: string | undefined;
  /** How requests are answered. */
  readonly options?: StartHttpRequestOptions | undefined;
}

/** The facts about a request that a web framework or middleware already knows. */
export interface StartHttpRequestOptions {
  /** The authenticated caller, if a middleware has set it. */
  readonly authInfo?: McpAuthInfo | undefined;
  /** The parsed body, if a middleware has read it. */
  readonly parsedBody?: unknown;
}

/** Options of `startSSE`. */
export interface StartSseOptions extends NodeExchange {
  /** The path at which clients open the stream of events. @default "/sse" */
  readonly ssePath?: string | undefined;
  /** The path to which clients send messages. @default "/messages" */
  readonly messagePath?: string | undefined;
}

/** Options of `startHonoSSE`: the Hono context, or the underlying Node.js request and response. */
export type StartHonoSseOptions = {
  /** The URL of the request. */
  readonly url: URL | string;
  /** The path at which clients open the stream of events. @default "/hono-sse" */
  readonly ssePath?: string | undefined;
  /** The path to which clients send messages. @default "/hono-messages" */
  readonly messagePath?: string | undefined;
} & ({ readonly context: { readonly req: { readonly raw: Request } } } | Pick<NodeExchange, "req" | "res">);

/** Options of `listen`. */
export interface ListenOptions {
  /** The port; 0 for any free port. */
  readonly port: number;
  /** The address to listen at. @default "127.0.0.1" */
  readonly host?: string | undefined;
}

/** The address at which a server listens. */
export interface Listening {
  /** The URL of streamable HTTP. The transport of 2024-11-05 is at `/sse`. */
  readonly url: string;
  /** The port. */
  readonly port: number;
}

/**
 * Serves tools, agents, workflows, graphs, resources and prompts to MCP clients of every revision, over stdio and HTTP.
 * Approvals and questions of tools go to the client, which may answer later, over another connection, and at another
 * instance with the same store.
 *
 * @example
 * const server = new MCPServer({ name: "Weather", version: "1.0.0", tools: [getWeather] });
 * console.log(server.getToolListInfo().tools.map(({ name }) => name));
 * // over stdio: await server.startStdio();
 * // over HTTP: await server.listen({ port: 1234 });
 */
export class MCPServer {
  readonly name: string;
  readonly version: string;
  readonly tools: { notifyListChanged(): Promise<void> };
  readonly prompts: { notifyListChanged(): Promise<void> };
  readonly resources: { notifyListChanged(): Promise<void>; notifyUpdated(change: { uri: string }): Promise<void> };
  readonly #id: string;
  readonly #options: MCPServerOptions;
  readonly #releaseDate: string;
  readonly #served: ReadonlyMap<string, ServedTool>;
  readonly #toolCalls: ToolCalls;
  readonly #prompts: PromptCalls;
  readonly #sessions = new CallSessions();
  readonly #serving: Serving;
  readonly #closing = new AbortController();
  readonly #store: ReturnType<typeof memoryStore> | NonNullable<MCPServerOptions["store"]>;
  readonly #listening = new Set<HttpServer>();
  #parts: Promise<ServerParts> | undefined;

  constructor(options: MCPServerOptions) {
    checkServerOptions(options);
    this.#options = options;
    this.#id = options.id ?? globalThis.crypto.randomUUID();
    this.name = options.name;
    this.version = options.version;
    this.#releaseDate = options.releaseDate ?? new Date().toISOString();
    this.#store = options.store ?? memoryStore();
    const raw: RawOutputs = new Map();
    this.#served = servedTools(options, options.logger ?? console, raw);
    const parts = { options, store: this.#store, tools: this.#served, raw, sessions: this.#sessions };
    this.#toolCalls = new ToolCalls(parts);
    this.#prompts = new PromptCalls(options, this.#store, this.#sessions);
    const serving = new Serving(options, () => this.#loadParts());
    this.#serving = serving;
    this.tools = { notifyListChanged: () => serving.notify({ kind: "tools" }) };
    this.prompts = { notifyListChanged: () => serving.notify({ kind: "prompts" }) };
    this.resources = {
      notifyListChanged: () => serving.notify({ kind: "resources" }),
      notifyUpdated: ({ uri }) => serving.notify({ kind: "resource", uri }),
    };
  }

  /** The `id` option, or a random UUID. */
  get id(): string {
    return this.#id;
  }

  /** Answers a request over streamable HTTP: a handler for web-standard servers and frameworks. */
  fetch = (request: Request, { authInfo }: { readonly authInfo?: McpAuthInfo | undefined } = {}): Promise<Response> =>
    this.#serving.fetch(request, authInfo);

  /**
   * Listens on a port, with streamable HTTP at `/mcp` and the transport of 2024-11-05 at `/sse` and `/messages`. Rejects with
   * `PACKAGE_MISSING` if the package `@modelcontextprotocol/server` is not installed.
   */
  async listen(options: ListenOptions): Promise<Listening> {
    checkOptions("listen", options, ["port", "host"]);
    if (this.#closing.signal.aborted) throw serverClosed();
    const { port, host = "127.0.0.1" } = options;
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw invalidMcpValue("port of listen", "a whole number from 0 to 65535", port);
    }
    if (typeof host !== "string" || host === "")
      throw invalidMcpValue("host of listen", "a host name or an address", host);
    checkListenHost(host, this.#options);
    await this.#serving.load();
    const { createServer } = await import("node:http");
    const http = createServer((req, res) => void this.#route(req, res));
    await new Promise<void>((resolve, reject) => {
      http.once("error", reject);
      http.listen(port, host, resolve);
    });
    this.#listening.add(http);
    const address = http.address();
    const actualPort = typeof address === "object" && address !== null ? address.port : port;
    return { url: `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}/mcp`, port: actualPort };
  }

  /** Serves over standard input and output. Nothing else may write to standard output. */
  startStdio(): Promise<void> {
    return this.#serving.startStdio();
  }

  /** Answers a Node.js request over streamable HTTP if its path is `httpPath`; other paths get a 404. */
  async startHTTP(request: StartHttpOptions): Promise<void> {
    checkOptions("startHTTP", request, [...exchangeNames, "httpPath", "ssePath", "messagePath", "options"]);
    const { url, req, res, httpPath, ssePath, options = {} } = request;
    checkOptions("options of startHTTP", options, ["authInfo", "parsedBody"]);
    const isOwnPath = pathOf(url) === (httpPath ?? ssePath ?? "/http");
    await this.#serving.answer(
      req,
      res,
      async (request) => (isOwnPath ? this.fetch(request, { authInfo: options.authInfo }) : refusal(404, "Not found")),
      options.parsedBody,
    );
  }

  /** Answers a Node.js request over the transport of 2024-11-05, for old clients. */
  async startSSE(options: StartSseOptions): Promise<void> {
    checkOptions("startSSE", options, [...exchangeNames, "ssePath", "messagePath"]);
    const { url, req, res, ssePath = "/sse", messagePath = "/messages" } = options;
    const paths = { ssePath, messagePath };
    await this.#serving.answer(req, res, (request) => this.#serving.fetchSse(request, pathOf(url), paths, undefined));
  }

  /** Like `startSSE` for Hono. With its `context`, returns the response. */
  async startHonoSSE(options: StartHonoSseOptions): Promise<Response | undefined> {
    checkOptions("startHonoSSE", options, [...exchangeNames, "context", "ssePath", "messagePath"]);
    const { url, ssePath = "/hono-sse", messagePath = "/hono-messages" } = options;
    const paths = { ssePath, messagePath };
    const answer = (request: Request) => this.#serving.fetchSse(request, pathOf(url), paths, undefined, true);
    if ("context" in options && options.context !== undefined) return answer(options.context.req.raw);
    if (!("req" in options && isObject(options.req) && isObject(options.res)))
      throw invalidMcpOption("startHonoSSE needs either the context of Hono, or req and res.");
    await this.#serving.answer(options.req, options.res, answer);
    return undefined;
  }

  /** Ends all sessions and running calls. Waiting calls stay in the store and can be answered after a restart. */
  async close(): Promise<void> {
    this.#closing.abort(new DOMException("The MCPServer was closed.", "AbortError"));
    await this.#serving.close();
    const parts = await this.#parts?.catch(() => undefined);
    parts?.runner.records.close();
    await Promise.all([...this.#listening].map(closeHttp));
    this.#listening.clear();
  }

  getServerInfo(): ServerInfo {
    const { description, repository, isLatest = true } = this.#options;
    return {
      id: this.id,
      name: this.name,
      version: this.version,
      ...(description !== undefined && { description }),
      ...(repository !== undefined && { repository }),
      releaseDate: this.#releaseDate,
      isLatest,
    };
  }

  getServerDetail(): ServerDetail {
    const { packageCanonical, packages, remotes } = this.#options;
    return {
      ...this.getServerInfo(),
      ...(packageCanonical !== undefined && { packageCanonical }),
      ...(packages !== undefined && { packages }),
      ...(remotes !== undefined && { remotes }),
    };
  }

  getToolListInfo(): { readonly tools: readonly McpToolInfo[] } {
    return { tools: [...this.#served.values()].map(infoOf) };
  }

  /** Returns `undefined` for an unknown tool. */
  getToolInfo(name: string): McpToolInfo | undefined {
    const served = this.#served.get(name);
    return served === undefined ? undefined : infoOf(served);
  }

  /** Runs a tool without a client. Returns its output; rejects where a client would get an error result. */
  async executeTool(
    name: string,
    args: unknown,
    options: { readonly messages?: readonly AgenticMessage[]; readonly toolCallId?: string } = {},
  ): Promise<unknown> {
    if (this.#closing.signal.aborted) throw serverClosed();
    checkOptions("executeTool", options, ["messages", "toolCallId"]);
    const { requestContext } = this.#options;
    const values =
      typeof requestContext === "function"
        ? await requestContext({ authInfo: undefined, headers: {} })
        : requestContext;
    return this.#toolCalls.execute(
      name,
      args,
      options,
      new RequestContext(contextValuesOf(values)),
      this.#closing.signal,
    );
  }

  /** The transport of `startStdio`; `undefined` before. */
  getStdioTransport(): object | undefined {
    return this.#serving.stdioTransport;
  }

  /** The transport of the newest session of `startSSE`, if there is one. */
  getSseTransport(): object | undefined {
    return this.#serving.sseTransport;
  }

  /** The transport of the newest session of `startHonoSSE`, if there is one. */
  getSseHonoTransport(): object | undefined {
    return this.#serving.honoSseTransport;
  }

  /** The handler of streamable HTTP; `undefined` before the first request. */
  getStreamableHTTPTransport(): object | undefined {
    return this.#serving.httpHandler;
  }

  async #route(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = URL.canParse(req.url ?? "", "http://localhost")
      ? new URL(req.url ?? "", "http://localhost")
      : undefined;
    const path = url?.pathname ?? "";
    try {
      const isSse = (path === "/sse" || path === "/messages") && this.#options.legacy !== "off";
      if (isSse) await this.startSSE({ url: path, req, res });
      else await this.startHTTP({ url: path, httpPath: "/mcp", req, res });
    } catch (error) {
      reportError(this.#options, "MCPServer could not answer a request.", error);
      if (!res.headersSent) res.writeHead(500);
      res.end();
    }
  }

  #loadParts(): Promise<ServerParts> {
    this.#parts ??= this.#makeParts();
    return this.#parts;
  }

  async #makeParts(): Promise<ServerParts> {
    const { createRequestStateCodec, specTypeSchemas, UriTemplate } = await loadServer();
    const options = this.#options;
    const { requestStateTtlMs = 600_000, maxPending = 1_000, resources, runtime } = options;
    const codec = createRequestStateCodec<CallState>({
      key: options.requestStateKey ?? globalThis.crypto.getRandomValues(new Uint8Array(32)),
      ttlSeconds: Math.max(1, Math.ceil(requestStateTtlMs / 1000)),
      bind: ({ mcpReq, http }) => `${mcpReq.method}\0${principalOf(http?.authInfo as McpAuthInfo | undefined)}`,
    });
    const runner = new CallRunner({
      store: this.#store,
      ttlMs: requestStateTtlMs,
      maxPending,
      validator: runtime?.schemaValidator ?? jsonSchemaValidator,
      sessions: this.#sessions,
      sign: (state, sdk) => codec.mint(state, sdk),
    });
    // if the store fails now, the next process deletes the expired records
    if (options.store !== undefined) runner.records.sweep().catch(() => undefined);
    const matches = (template: string, uri: string): boolean => new UriTemplate(template).match(uri) !== null;
    const rules = { schemas: specTypeSchemas, matches };
    return {
      options,
      tools: this.#served,
      headerTools: [...this.#served.values()].filter(({ listed }) =>
        /"x-mcp-header":/.test(JSON.stringify(listed.inputSchema)),
      ),
      toolCalls: this.#toolCalls,
      prompts: this.#prompts,
      resources: resources && new ResourceCalls(resources, rules, options.logger),
      runner,
      codec,
    };
  }
}

function infoOf({ listed, kind }: ServedTool): McpToolInfo {
  return { ...(listed as object as Omit<McpToolInfo, "toolType">), toolType: kind };
}

/** The option names of a {@link NodeExchange}. */
const exchangeNames = ["url", "req", "res"];

function pathOf(url: URL | string): string {
  const text = String(url);
  if (!URL.canParse(text, "http://localhost")) throw invalidMcpValue("url", "the URL of the request", url);
  return new URL(text, "http://localhost").pathname;
}

async function closeHttp(http: HttpServer): Promise<void> {
  const closed = new Promise((resolve) => http.close(resolve));
  http.closeAllConnections();
  await closed;
}
