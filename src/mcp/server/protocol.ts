import { RequestContext } from "../../components/request-context.js";
import { type Fields, isFields } from "../../is.js";
import { maxTimerMs } from "../timing.js";
import { traceContextKey, traceContextOf } from "../trace-context.js";
import type { CallRequest, CallRunner } from "./call-runner.js";
import type { CallState } from "./call-session.js";
import { ownError } from "./client-text.js";
import type { MCPServerOptions, McpAuthInfo } from "./options.js";
import { ProgressReporter } from "./progress.js";
import type { PromptCalls } from "./prompt-calls.js";
import type { ResourceCalls } from "./resource-calls.js";
import { completionOf, contextValuesOf } from "./returned-values.js";
import type { loadServer, McpServer, RequestStateCodec, Server, ServerCapabilities, ServerContext } from "./sdk.js";
import type { ServedTool } from "./served-tools.js";
import type { ToolCalls } from "./tool-calls.js";
import { WireError } from "./wire-error.js";

/** The parts that answer requests, shared by all clients. */
export interface ServerParts {
  readonly options: MCPServerOptions;
  readonly tools: ReadonlyMap<string, ServedTool>;
  /** The tools whose clients repeat arguments in headers (`x-mcp-header`). */
  readonly headerTools: readonly ServedTool[];
  readonly toolCalls: ToolCalls;
  readonly prompts: PromptCalls;
  readonly resources: ResourceCalls | undefined;
  readonly runner: CallRunner;
  readonly codec: RequestStateCodec<CallState>;
}

/** The connection of one client. */
export interface ClientLink {
  readonly isModern: boolean;
  /** The resources that this client is subscribed to, if the connection keeps subscriptions. */
  readonly subscriptions: Set<string>;
  /** Why the client cannot be asked during a call; `undefined` if it can be. */
  readonly cannotAskReason: string | undefined;
}

type Sdk = Awaited<ReturnType<typeof loadServer>>;

/** Creates an SDK server for one client or one request. It only passes requests on. */
export function protocolServer({ Server: Class }: Sdk, parts: ServerParts, link: ClientLink): Server {
  return withHandlers(new Class(infoOf(parts), serverOptions(parts)), parts, link);
}

/**
 * Creates an SDK server for one HTTP request. The SDK compares headers that repeat arguments with the arguments, so it must
 * know the tools with such headers.
 */
export function requestServer(sdk: Sdk, parts: ServerParts, link: ClientLink): Server | McpServer {
  if (parts.headerTools.length === 0) return protocolServer(sdk, parts, link);
  const mcpServer = new sdk.McpServer(infoOf(parts), serverOptions(parts));
  for (const { name, listed } of parts.headerTools) {
    const inputSchema = sdk.fromJsonSchema(listed.inputSchema as never, acceptAll);
    mcpServer.registerTool(name, { inputSchema }, () => ({ content: [] }));
  }
  withHandlers(mcpServer.server, parts, link);
  return mcpServer;
}

/** Accepts all arguments, because the tools node validates them. */
const acceptAll = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
};

function infoOf({ options: { name, version } }: ServerParts): { name: string; version: string } {
  return { name, version };
}

function serverOptions(parts: ServerParts): ConstructorParameters<typeof Server>[1] {
  const { options, codec } = parts;
  const { instructions, requestStateTtlMs = 600_000 } = options;
  return {
    capabilities: capabilitiesOf(parts),
    ...(instructions !== undefined && { instructions }),
    requestState: { verify: (state: string, ctx: ServerContext) => codec.verify(state, ctx) },
    inputRequired: { maxRounds: 1_000, roundTimeoutMs: Math.min(requestStateTtlMs, maxTimerMs) },
  };
}

function withHandlers(server: Server, parts: ServerParts, link: ClientLink): Server {
  const { options } = parts;
  server.onerror = () => undefined;
  addTools(server, parts, link);
  if (options.prompts !== undefined) addPrompts(server, parts, link);
  if (parts.resources !== undefined) addResources(server, parts, parts.resources, link);
  if (options.completions !== undefined) addCompletions(server, options.completions);
  return server;
}

function capabilitiesOf({ options, resources }: ServerParts): ServerCapabilities {
  return {
    tools: { listChanged: true },
    logging: {},
    ...(options.prompts !== undefined && { prompts: { listChanged: true } }),
    ...(resources !== undefined && { resources: { listChanged: true, subscribe: true } }),
    ...(options.completions !== undefined && { completions: {} }),
  };
}

function addTools(server: Server, parts: ServerParts, link: ClientLink): void {
  server.setRequestHandler(
    "tools/list",
    async () => ({ tools: [...parts.tools.values()].map(({ listed }) => listed) }) as never,
  );
  server.setRequestHandler("tools/call", async ({ params }, sdk) => {
    const { name, arguments: args } = params;
    const progress = new ProgressReporter(sdk);
    const request = await requestOf(parts, link, server, sdk, progress);
    const result = await withWireErrors(
      parts.toolCalls.call(parts.runner, request, { name, args, state: callStateOf(sdk), progress }),
    );
    if (result.resultType === "input_required") return result as never;
    const schema = parts.tools.get(name)?.listed.outputSchema;
    return server.projectCallToolResult(result as never, isFields(schema) ? schema : undefined);
  });
}

function addPrompts(server: Server, parts: ServerParts, link: ClientLink): void {
  server.setRequestHandler("prompts/list", async () => ({ prompts: parts.prompts.listed }) as never);
  server.setRequestHandler("prompts/get", async ({ params }, sdk) => {
    const request = await requestOf(parts, link, server, sdk, new ProgressReporter(sdk));
    return (await withWireErrors(
      parts.prompts.get(parts.runner, request, params.name, params.arguments ?? {}, callStateOf(sdk)),
    )) as never;
  });
}

function addResources(
  server: Server,
  parts: ServerParts,
  resources: ResourceCalls,
  { subscriptions }: ClientLink,
): void {
  server.setRequestHandler("resources/list", async () => (await withWireErrors(resources.list())) as never);
  server.setRequestHandler(
    "resources/templates/list",
    async () => (await withWireErrors(resources.templates())) as never,
  );
  server.setRequestHandler("resources/read", async ({ params }, sdk) => {
    const values = await requestContextOf(parts.options, sdk);
    return (await withWireErrors(resources.read(params.uri, values))) as never;
  });
  server.setRequestHandler("resources/subscribe", async ({ params }) => {
    subscriptions.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params }) => {
    subscriptions.delete(params.uri);
    return {};
  });
}

function addCompletions(server: Server, completions: NonNullable<MCPServerOptions["completions"]>): void {
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument, context } }) => {
    const complete = async () =>
      completionOf(await completions(ref, argument, { arguments: context?.arguments ?? {} }));
    return { completion: await withWireErrors(complete()) };
  });
}

/** Converts errors to wire errors, so that clients see the message but no stack. */
async function withWireErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const error = ownError(thrown);
    if (error instanceof WireError) throw error;
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (Number.isSafeInteger(code)) throw error; // an error of the SDK, made for the client
    throw new WireError(-32603, error instanceof Error ? error.message : "The request failed.");
  }
}

function callStateOf(sdk: ServerContext): CallState | undefined {
  return sdk.mcpReq.requestState<CallState>();
}

const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

async function requestOf(
  { options }: ServerParts,
  { isModern, cannotAskReason }: ClientLink,
  server: Server,
  sdk: ServerContext,
  progress: ProgressReporter,
): Promise<CallRequest> {
  const envelope: Fields = sdk.mcpReq.envelope ?? {};
  const capabilities: unknown = isModern ? envelope[capabilitiesKey] : server.getClientCapabilities();
  return {
    sdk,
    isModern,
    capabilities: isFields(capabilities) ? capabilities : {},
    requestContext: await requestContextOf(options, sdk),
    signal: sdk.mcpReq.signal, // also aborted when the server is closed
    progress,
    cannotAskReason,
  };
}

async function requestContextOf({ requestContext }: MCPServerOptions, sdk: ServerContext): Promise<RequestContext> {
  const authInfo = sdk.http?.authInfo as McpAuthInfo | undefined;
  const headers = Object.fromEntries(sdk.http?.req?.headers ?? []);
  const values = typeof requestContext === "function" ? await requestContext({ authInfo, headers }) : requestContext;
  const context = new RequestContext(contextValuesOf(values));
  if (authInfo !== undefined) context.set("authInfo", authInfo);
  if (sdk.http?.req !== undefined) context.set("headers", headers);
  const trace = traceContextOf(sdk.mcpReq._meta);
  if (trace !== undefined) context.set(traceContextKey, trace);
  return context;
}
