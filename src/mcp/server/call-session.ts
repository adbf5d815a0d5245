import type { NodeContext } from "../../components/context.js";
import type { McpCallContext, McpClientRoot, McpSampledMessage } from "../../components/mcp/mcp-call-context.js";
import type { AnyRequestContext } from "../../components/request-context.js";
import { type Fields, isFields } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import type { NeededCapability } from "./forms.js";
import type { ProgressTeller } from "./progress.js";
import type { ServerContext } from "./sdk.js";

/** The request that a run works for: of whom, and how they can be spoken to. */
export interface CallSession {
  readonly sdk: ServerContext;
  /** Questions go out as a result; else as requests during the call. */
  readonly isModern: boolean;
  readonly capabilities: Fields;
  /** Why the client could not be asked during a call of an older revision, if so. */
  readonly cannotAsk: string | undefined;
  /** Under what the call waits, once it does. */
  readonly place: CallPlace;
  readonly progress: ProgressTeller;
  /** Saves the outcome of the call, in case the same answer is sent again. */
  readonly keepFinal: (final: Fields) => Promise<void>;
}

/** Where a call is kept while it waits. */
export interface CallPlace {
  readonly checkpointId: string;
  /** Which answer this is; 0 is the first call. */
  readonly round: number;
  /** Of the tool or prompt: an answer goes to what has asked. */
  readonly name: string;
}

/** Which request a run belongs to: nodes and tools of one run share the object of its values. */
export class CallSessions {
  readonly #sessions = new WeakMap<object, CallSession>();

  begin(requestContext: AnyRequestContext, session: CallSession): void {
    this.#sessions.set(requestContext, session);
  }

  find({ requestContext }: Pick<NodeContext, "requestContext">): CallSession | undefined {
    return this.#sessions.get(requestContext);
  }
}

/** The context of a tool or prompt, with the client in it. */
export function withClient<Context extends NodeContext>(ctx: Context, session: CallSession): Context {
  // not `with`, which makes an object behind the context, and costs more than all else here
  return Object.assign(ctx, { mcp: new ClientContext(ctx, session) });
}

export function hasCapability(capabilities: Fields, needed: NeededCapability): boolean {
  const [name = "", mode] = needed.split(".");
  const given = capabilities[name];
  if (!isFields(given)) return false;
  if (name !== "elicitation") return true;
  // an empty object is the form mode, from before there were modes
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
      // a client that has gone, or data that is no JSON: what is only told does not fail the call
    }
  }

  /** The same in every execution of the place, as its other keys. */
  #nextKey(what: string): string {
    this.#requests += 1;
    return `mcp_${what}_${this.#requests}`;
  }

  #need(capability: "sampling" | "roots"): void {
    const { cannotAsk } = this.#session;
    if (cannotAsk !== undefined) throw new Error(`The MCP client cannot be asked (${capability}): ${cannotAsk}`);
    if (!hasCapability(this.#session.capabilities, capability)) {
      throw new Error(`The MCP client cannot do this: it has not declared the capability "${capability}".`);
    }
  }
}
