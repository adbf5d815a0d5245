import type { Handler } from "../../callbacks/handler.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { NodeContext } from "../../components/context.js";
import type { McpCallContext } from "../../components/mcp/mcp-call-context.js";
import type { AnyRequestContext } from "../../components/request-context.js";
import type { Template } from "../../components/retrieval.js";
import type { Runnable } from "../../compose/runnable.js";
import type { Runtime } from "../../compose/runtime.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { AgenticToolsNodeConfig } from "../../tools/node/config.js";

/** The part of an agent that a server uses: an agent of this package or of Mastra. */
export interface McpAgent {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  getDescription?(): string;
  generate(prompt: string, options?: never): Promise<unknown>;
  resume?(run: never, answers?: never, options?: never): Promise<unknown>;
}

/** A workflow with the interface of Mastra, such as one made with `createWorkflow` of `kumiko/mastra`. */
export interface McpWorkflow {
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: AnyStandardSchema | JsonSchema | undefined;
  readonly outputSchema?: AnyStandardSchema | JsonSchema | undefined;
  createRun(options?: never): unknown;
}

/** A compiled graph, chain or workflow of this package, with its description for clients. */
export interface McpGraph {
  readonly runnable: Runnable<never, unknown>;
  readonly description: string;
  readonly inputSchema: AnyStandardSchema | JsonSchema;
  readonly outputSchema?: AnyStandardSchema | JsonSchema | undefined;
}

/** A resource that a server lists. */
export interface MCPServerResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Resources whose URIs follow a template (RFC 6570). */
export interface MCPServerResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** The content of a resource: either `text`, or bytes in base64 as `blob`. */
export interface MCPServerResourceContent {
  readonly text?: string | undefined;
  readonly blob?: string | undefined;
  readonly uri?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** The resources that a server offers. */
export interface MCPServerResources {
  listResources(): Promise<readonly MCPServerResource[]> | readonly MCPServerResource[];
  /** Must throw for an unknown URI. */
  getResourceContent(request: {
    readonly uri: string;
    readonly requestContext: AnyRequestContext;
  }):
    | Promise<MCPServerResourceContent | readonly MCPServerResourceContent[]>
    | MCPServerResourceContent
    | readonly MCPServerResourceContent[];
  resourceTemplates?(): Promise<readonly MCPServerResourceTemplate[]> | readonly MCPServerResourceTemplate[];
}

/** An argument of a prompt. */
export interface MCPServerPromptArgument {
  readonly name: string;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
}

/** The context of a prompt function. */
export interface McpPromptContext extends NodeContext {
  readonly mcp: McpCallContext;
}

/** Messages of this package or of MCP. */
export type MCPServerPromptMessages = readonly (AgenticMessage | MCPServerPromptMessage)[];

/** A message of a prompt as MCP defines it. */
export interface MCPServerPromptMessage {
  readonly role: "user" | "assistant";
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * A prompt that a server offers.
 *
 * @example
 * const review: MCPServerPrompt = {
 *   description: "Reviews code.",
 *   arguments: [{ name: "code", required: true }],
 *   template: ({ code }) => [userMessage(`Review this code:\n${code}`)],
 * };
 */
export interface MCPServerPrompt {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?: readonly MCPServerPromptArgument[] | undefined;
  /** A template, or a function of the arguments. The function may ask the client, with `ctx.ask` and `ctx.mcp`. */
  readonly template:
    | Template<never, never>
    | ((
        args: Readonly<Record<string, string>>,
        ctx: McpPromptContext,
      ) => MCPServerPromptMessages | Promise<MCPServerPromptMessages>);
}

/** The values that `completions` suggests: a list, or as MCP defines it. */
export type MCPServerCompletion =
  | readonly string[]
  | {
      readonly values: readonly string[];
      /** How many values there are, if `values` holds only some of them. */
      readonly total?: number | undefined;
      readonly hasMore?: boolean | undefined;
    };

/** Suggests values for an argument of a prompt or a variable of a resource template. Clients get the first 100. */
export type MCPServerCompletions = (
  ref: { readonly type: "ref/prompt"; readonly name: string } | { readonly type: "ref/resource"; readonly uri: string },
  argument: { readonly name: string; readonly value: string },
  context: { readonly arguments: Readonly<Record<string, string>> },
) => MCPServerCompletion | Promise<MCPServerCompletion>;

/** The authenticated caller, as returned by `auth`: the `AuthInfo` of the SDK. */
export interface McpAuthInfo {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: number | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Receives warnings and errors of a server. */
export interface MCPServerLogger {
  warn(message: string): void;
  error?(message: string, error?: unknown): void;
}

/** Where a server's source code is. */
export interface MCPServerRepository {
  readonly url: string;
  readonly source?: string | undefined;
  readonly id?: string | undefined;
}

/** Options of {@link MCPServer}. */
export interface MCPServerOptions {
  /** The name that clients show to users. */
  readonly name: string;
  readonly version: string;
  /** @default a random UUID */
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  /** Instructions for the model about the server as a whole. */
  readonly instructions?: string | undefined;
  /** Tools in any format that an `AgenticToolsNode` takes. */
  readonly tools?: AgenticToolsNodeConfig["tools"] | undefined;
  /** Each becomes the tool `ask_<key>`. */
  readonly agents?: Readonly<Record<string, McpAgent>> | undefined;
  /** Each becomes the tool `run_<key>`. */
  readonly workflows?: Readonly<Record<string, McpWorkflow>> | undefined;
  /** Each becomes the tool `run_<key>`. */
  readonly graphs?: Readonly<Record<string, McpGraph>> | undefined;
  readonly resources?: MCPServerResources | undefined;
  readonly prompts?: Readonly<Record<string, MCPServerPrompt>> | undefined;
  readonly completions?: MCPServerCompletions | undefined;
  /**
   * Stores calls that wait for an answer. With a `requestStateKey`, any instance can continue them.
   * @default a memory store
   */
  readonly store?: CheckpointStore | undefined;
  /**
   * The key that signs the request state, of at least 32 bytes; must be the same for all instances.
   * @default a random key
   */
  readonly requestStateKey?: string | Uint8Array | undefined;
  /** How long a question can be answered. @default 600_000 */
  readonly requestStateTtlMs?: number | undefined;
  /** How many calls may wait at once. @default 1_000 */
  readonly maxPending?: number | undefined;
  /** How clients of revisions with a handshake are served over HTTP. @default "sessions" */
  readonly legacy?: "sessions" | "stateless" | "off" | undefined;
  /**
   * Identifies the caller; `undefined` is answered with 401. It is called before the body is read; to read the body, clone the
   * request. HTTP only.
   */
  readonly auth?:
    | ((request: Request) => McpAuthInfo | Response | undefined | Promise<McpAuthInfo | Response | undefined>)
    | undefined;
  /** The host names of the server, to reject DNS rebinding. @default the loopback names */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The origins or host names of web pages that may call the server. @default the loopback names */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** @default 4 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Options of the `AgenticToolsNode` that runs the calls. */
  readonly toolsNode?: Omit<AgenticToolsNodeConfig, "tools"> | undefined;
  readonly runtime?: Runtime | undefined;
  readonly callbacks?: readonly Handler[] | undefined;
  /** Values for the request context of every call, in addition to `authInfo` and `headers`. */
  readonly requestContext?:
    | Readonly<Record<string, unknown>>
    | ((call: {
        readonly authInfo: McpAuthInfo | undefined;
        readonly headers: Readonly<Record<string, string>>;
      }) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>)
    | undefined;
  readonly repository?: MCPServerRepository | undefined;
  /** An ISO 8601 date. @default now */
  readonly releaseDate?: string | undefined;
  /** @default true */
  readonly isLatest?: boolean | undefined;
  readonly packageCanonical?: string | undefined;
  readonly packages?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly remotes?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Receives warnings about tools that are not served, and errors outside of calls. @default console */
  readonly logger?: MCPServerLogger | undefined;
}
