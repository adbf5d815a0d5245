import type { NodeContext } from "../../components/context.js";
import type { McpCallContext, McpClientRoot, McpSampledMessage } from "../../components/mcp/mcp-call-context.js";
import type { AnyRequestContext } from "../../components/request-context.js";
import { type Fields, isFields } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import type { NeededCapability } from "./forms.js";
import type { ProgressReporter } from "./progress.js";
import type { ServerContext } from "./sdk.js";

/** The request that a run serves, and the means to reach its client. */
export interface CallSession {
  readonly sdk: ServerContext;
  /** Whether questions are sent as a result of the call; otherwise they are requests during the call. */
  readonly isModern: boolean;
  readonly capabilities: Fields;
  /** Why the client cannot be asked, for clients of older revisions; `undefined` if it can be. */
  readonly cannotAskReason: string | undefined;
  /** The state to send to the client when the call has to wait. */
  readonly state: CallState;
  readonly progress: ProgressReporter;
  /** Saves the outcome of the call, in case the same answer is sent again. */
  readonly keepFinal: (final: Fields) => Promise<void>;
}

/** The request state of a waiting call: the client gets it signed, and sends it back with its answers. */
export interface CallState {
  readonly checkpointId: string;
  /** The number of rounds of questions so far; 0 for the first request. */
  readonly round: number;
  /** The name of the tool or prompt that asked; an answer must be for the same one. */
  readonly name: string;
}

/** Finds the request that a run belongs to, by the request context, which all nodes and tools of the run share. */
export class CallSessions {
  readonly #sessions = new WeakMap<object, CallSession>();

  begin(requestContext: AnyRequestContext, session: CallSession): void {
    this.#sessions.set(requestContext, session);
  }

  find({ requestContext }: Pick<NodeContext, "requestContext">): CallSession | undefined {
    return this.#sessions.get(requestContext);
  }
}

/** Adds the client to the context of a tool or prompt, as `mcp`. */
export function withClient<Context extends NodeContext>(ctx: Context, session: CallSession): Context {
  // not `ctx.with`, whose derived object would cost more than the rest of the call
  return Object.assign(ctx, { mcp: new ClientContext(ctx, session) });
}

export function hasCapability(capabilities: Fields, needed: NeededCapability): boolean {
  const [name = "", mode] = needed.split(".");
  const given = capabilities[name];
  if (!isFields(given)) return false;
  if (name !== "elicitation") return true;
  // an empty object declares the form mode: it is from before there were modes
  return mode === "url" ? isFields(given.url) : isFields(given.form) || !isFields(given.url);
}

const sampledSchema: JsonSchema = { type: "object", required: ["content"] };
const rootsSchema: JsonSchema = { type: "object", required: ["roots"] };

class ClientContext implements McpCallContext {
  readonly #ctx: NodeContext;
  readonly #session: CallSession;
  #requests = 0;

  constructor(ctx: NodeContext, session: CallSession) {
    this.#ctx = ctx;
    this.#session = session;
  }

  get capabilities(): Fields {
    return this.#session.capabilities;
  }

  async sample(params: Fields): Promise<McpSampledMessage> {
    const key = this.#nextKey("sampling");
    this.#need("sampling");
    if (this.#session.isModern) {
      return this.#ctx.ask<McpSampledMessage>(key, { kind: "mcp_sampling_request", params }, sampledSchema);
    }
    const { sdk } = this.#session;
    const request = { method: "sampling/createMessage" as const, params: { ...params } };
    return this.#ctx.once(key, async () => (await sdk.mcpReq.send(request)) as McpSampledMessage);
  }

  async roots(): Promise<readonly McpClientRoot[]> {
    const key = this.#nextKey("roots");
    this.#need("roots");
    const { sdk, isModern } = this.#session;
    const { roots } = isModern
      ? await this.#ctx.ask<{ roots: McpClientRoot[] }>(key, { kind: "mcp_roots_request" }, rootsSchema)
      : await this.#ctx.once(
          key,
          async () => (await sdk.mcpReq.send({ method: "roots/list" })) as { roots: McpClientRoot[] },
        );
    return roots;
  }

  async log(level: Parameters<McpCallContext["log"]>[0], data: unknown, logger?: string): Promise<void> {
    try {
      await this.#session.sdk.mcpReq.log(level, data, logger);
    } catch {
      // a log message that cannot be sent does not fail the call
    }
  }

  /** Keys are numbered, so that they are the same in every execution of the node. */
  #nextKey(what: string): string {
    this.#requests += 1;
    return `mcp_${what}_${this.#requests}`;
  }

  #need(capability: "sampling" | "roots"): void {
    const { cannotAskReason } = this.#session;
    if (cannotAskReason !== undefined)
      throw new Error(`The MCP client cannot be asked (${capability}): ${cannotAskReason}`);
    if (!hasCapability(this.#session.capabilities, capability)) {
      throw new Error(`The MCP client has not declared the capability "${capability}".`);
    }
  }
}
