import { RequestContext } from "../../components/request-context.js";
import { type Fields, isFields } from "../../schema/fields.js";
import { traceContextKey, traceContextOf } from "../trace-context.js";
import type { CallRequest, CallRunner } from "./call-runner.js";
import type { CallPlace } from "./call-session.js";
import type { MCPServerOptions, McpAuthInfo } from "./options.js";
import { ProgressTeller } from "./progress.js";
import type { PromptCalls } from "./prompt-calls.js";
import type { ResourceCalls } from "./resource-calls.js";
import type { RequestStateCodec, Server, ServerCapabilities, ServerContext } from "./sdk.js";
import type { ServedTool } from "./served-tools.js";
import type { ToolCalls } from "./tool-calls.js";
import { WireError } from "./wire-error.js";

/** All that requests are answered with: the same for every client. */
export interface ServerParts {
  readonly options: MCPServerOptions;
  readonly tools: ReadonlyMap<string, ServedTool>;
  readonly toolCalls: ToolCalls;
  readonly prompts: PromptCalls;
  readonly resources: ResourceCalls | undefined;
  readonly runner: CallRunner;
  readonly codec: RequestStateCodec<CallPlace>;
  readonly closing: AbortSignal;
}

/** How one client is connected. */
export interface ClientLink {
  readonly isModern: boolean;
  /** The resources whose changes this client wants to hear of, where the connection keeps that. */
  readonly subscriptions: Set<string>;
  /** Why the client cannot be asked during a call, if so. */
  readonly cannotAsk: string | undefined;
}

type ServerClass = new (
  info: { name: string; version: string },
  options: ConstructorParameters<typeof Server>[1],
) => Server;

const longestQuestion = 2 ** 31 - 1;

/** A server of the SDK for one client, or for one request: it only passes requests on. */
export function protocolServer(Class: ServerClass, parts: ServerParts, link: ClientLink): Server {
  const { options, codec } = parts;
  const { name, version, instructions } = options;
  const server = new Class(
    { name, version },
    {
      capabilities: capabilitiesOf(parts),
      ...(instructions !== undefined && { instructions }),
      requestState: { verify: (state: string, ctx: ServerContext) => codec.verify(state, ctx) },
      inputRequired: {
        maxRounds: 1_000,
        roundTimeoutMs: Math.min(options.requestStateTtlMs ?? 600_000, longestQuestion),
      },
    },
  );
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
    const progress = new ProgressTeller(sdk);
    const request = await requestOf(parts, link, server, sdk, progress);
    const result = await answering(
      parts.toolCalls.call(parts.runner, request, { name, args, place: placeOf(sdk), progress }),
    );
    if (result.resultType === "input_required") return result as never;
    const schema = parts.tools.get(name)?.listed.outputSchema;
    return server.projectCallToolResult(result as never, isFields(schema) ? schema : undefined);
  });
}

function addPrompts(server: Server, parts: ServerParts, link: ClientLink): void {
  server.setRequestHandler("prompts/list", async () => ({ prompts: parts.prompts.listed }) as never);
  server.setRequestHandler("prompts/get", async ({ params }, sdk) => {
    const request = await requestOf(parts, link, server, sdk, new ProgressTeller(sdk));
    return (await answering(
      parts.prompts.get(parts.runner, request, params.name, params.arguments ?? {}, placeOf(sdk)),
    )) as never;
  });
}

function addResources(
  server: Server,
  parts: ServerParts,
  resources: ResourceCalls,
  { subscriptions }: ClientLink,
): void {
  server.setRequestHandler("resources/list", async () => (await answering(resources.list())) as never);
  server.setRequestHandler("resources/templates/list", async () => (await answering(resources.templates())) as never);
  server.setRequestHandler("resources/read", async ({ params }, sdk) => {
    const values = await requestContextOf(parts.options, sdk);
    return (await answering(resources.read(params.uri, values))) as never;
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

/** The most values that a client is given at once. */
const mostValues = 100;

function addCompletions(server: Server, completions: NonNullable<MCPServerOptions["completions"]>): void {
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument, context } }) => {
    const values = await answering(
      Promise.resolve(completions(ref, argument, { arguments: context?.arguments ?? {} })),
    );
    return {
      completion: { values: values.slice(0, mostValues), total: values.length, hasMore: values.length > mostValues },
    };
  });
}

/** What goes wrong is told by its message, and by nothing else. */
async function answering<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof WireError) throw error;
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (Number.isSafeInteger(code)) throw error; // an error of the SDK, which means what it says
    throw new WireError(-32603, error instanceof Error ? error.message : "The request failed.");
  }
}

function placeOf(sdk: ServerContext): CallPlace | undefined {
  return sdk.mcpReq.requestState<CallPlace>();
}

const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

async function requestOf(
  { options, closing }: ServerParts,
  { isModern, cannotAsk }: ClientLink,
  server: Server,
  sdk: ServerContext,
  progress: ProgressTeller,
): Promise<CallRequest> {
  const envelope: Fields = sdk.mcpReq.envelope ?? {};
  const capabilities: unknown = isModern ? envelope[capabilitiesKey] : server.getClientCapabilities();
  return {
    sdk,
    isModern,
    capabilities: isFields(capabilities) ? capabilities : {},
    requestContext: await requestContextOf(options, sdk),
    signal: AbortSignal.any([sdk.mcpReq.signal, closing]),
    progress,
    cannotAsk,
  };
}

async function requestContextOf({ requestContext }: MCPServerOptions, sdk: ServerContext): Promise<RequestContext> {
  const authInfo = sdk.http?.authInfo as McpAuthInfo | undefined;
  const headers = Object.fromEntries(sdk.http?.req?.headers ?? []);
  const values = typeof requestContext === "function" ? await requestContext({ authInfo, headers }) : requestContext;
  const context = new RequestContext(values ?? {});
  if (authInfo !== undefined) context.set("authInfo", authInfo);
  if (sdk.http?.req !== undefined) context.set("headers", headers);
  const trace = traceContextOf(sdk.mcpReq._meta);
  if (trace !== undefined) context.set(traceContextKey, trace);
  return context;
}
