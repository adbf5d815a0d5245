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
  /** The name, for the description of the tool. */
  readonly name?: string | undefined;
  /** The agent's description, for clients. */
  readonly description?: string | undefined;
  /** The same as `description`, as agents of Mastra have it. */
  getDescription?(): string;
  /** Runs the agent until its end, or until it waits. */
  generate(prompt: string, options?: never): Promise<unknown>;
  /** Resumes a run that waits. */
  resume?(run: never, answers?: never, options?: never): Promise<unknown>;
}

/** A workflow with the interface of Mastra, such as one made with `createWorkflow` of `kumiko/mastra`. */
export interface McpWorkflow {
  /** The id of the workflow. */
  readonly id?: string | undefined;
  /** The workflow's description, for clients. */
  readonly description?: string | undefined;
  /** The schema of the tool's arguments. */
  readonly inputSchema?: AnyStandardSchema | JsonSchema | undefined;
  /** The schema of the tool's result. */
  readonly outputSchema?: AnyStandardSchema | JsonSchema | undefined;
  /** Creates a run, which the server starts. */
  createRun(options?: never): unknown;
}

/** A compiled graph, chain or workflow of this package, with its description for clients. */
export interface McpGraph {
  /** The runnable: its input is the arguments, its output the result. */
  readonly runnable: Runnable<never, unknown>;
  /** Its description, for clients. */
  readonly description: string;
  /** The schema of the tool's arguments. */
  readonly inputSchema: AnyStandardSchema | JsonSchema;
  /** The schema of the tool's result. */
  readonly outputSchema?: AnyStandardSchema | JsonSchema | undefined;
}

/** A resource that a server lists. */
export interface MCPServerResource {
  /** The address by which clients read it. */
  readonly uri: string;
  /** The name of the resource. */
  readonly name: string;
  /** A title for people. */
  readonly title?: string | undefined;
  /** The resource's description. */
  readonly description?: string | undefined;
  /** The type of its content, such as `text/markdown`. */
  readonly mimeType?: string | undefined;
  /** Its size in bytes. */
  readonly size?: number | undefined;
  /** Hints for clients, as MCP defines them: audience, priority. */
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  /** Data of your own, sent as it is. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Resources whose URIs follow a template (RFC 6570). */
export interface MCPServerResourceTemplate {
  /** A template of RFC 6570, such as `file:///logs/{day}`. */
  readonly uriTemplate: string;
  /** The name of the template. */
  readonly name: string;
  /** A title for people. */
  readonly title?: string | undefined;
  /** The resources' description. */
  readonly description?: string | undefined;
  /** The type of their content. */
  readonly mimeType?: string | undefined;
}

/** The content of a resource: either `text`, or bytes in base64 as `blob`. */
export interface MCPServerResourceContent {
  /** The content as text. */
  readonly text?: string | undefined;
  /** The content as base64. */
  readonly blob?: string | undefined;
  /** The address of the content. @default the one that was asked for */
  readonly uri?: string | undefined;
  /** The type of the content. @default that of the listed resource */
  readonly mimeType?: string | undefined;
}

/** The resources that a server offers. */
export interface MCPServerResources {
  /** The resources that clients may list. */
  listResources(): Promise<readonly MCPServerResource[]> | readonly MCPServerResource[];
  /** Must throw for an unknown URI. */
  getResourceContent(request: {
    readonly uri: string;
    readonly requestContext: AnyRequestContext;
  }):
    | Promise<MCPServerResourceContent | readonly MCPServerResourceContent[]>
    | MCPServerResourceContent
    | readonly MCPServerResourceContent[];
  /** The resource templates that clients may list. */
  resourceTemplates?(): Promise<readonly MCPServerResourceTemplate[]> | readonly MCPServerResourceTemplate[];
}

/** An argument of a prompt. */
export interface MCPServerPromptArgument {
  /** The name of the argument. */
  readonly name: string;
  /** The argument's description. */
  readonly description?: string | undefined;
  /** Whether it must be given. @default false */
  readonly required?: boolean | undefined;
}

/** The context of a prompt function. */
export interface McpPromptContext extends NodeContext {
  /** The request's information about its client, and questions to that client. */
  readonly mcp: McpCallContext;
}

/** Messages of this package or of MCP. */
export type MCPServerPromptMessages = readonly (AgenticMessage | MCPServerPromptMessage)[];

/** A message of a prompt as MCP defines it. */
export interface MCPServerPromptMessage {
  /** Who speaks. */
  readonly role: "user" | "assistant";
  /** The content, as MCP defines it. */
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
  /** A title for people. */
  readonly title?: string | undefined;
  /** The prompt's description. */
  readonly description?: string | undefined;
  /** The arguments that it takes. */
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
  /** The token of the request. */
  readonly token: string;
  /** The id of the client that it was issued to. */
  readonly clientId: string;
  /** The scopes of the token. */
  readonly scopes: readonly string[];
  /** When the token expires, in seconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** Anything else that your functions need to know. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Receives warnings and errors of a server. */
export interface MCPServerLogger {
  /** Possible mistakes. */
  warn(message: string): void;
  /** Failures. */
  error?(message: string, error?: unknown): void;
}

/** Where a server's source code is. */
export interface MCPServerRepository {
  /** The URL of the repository. */
  readonly url: string;
  /** Where it is hosted, such as `"github"`. */
  readonly source?: string | undefined;
  /** Its id there. */
  readonly id?: string | undefined;
}

/** Options of {@link MCPServer}. */
export interface MCPServerOptions {
  /** The name that clients show to users. */
  readonly name: string;
  /** The version of the server. */
  readonly version: string;
  /** The id of the server, in `getServerInfo`. @default a random UUID */
  readonly id?: string | undefined;
  /** The server's description, for registries. */
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
  /** Resources that clients may list and read. */
  readonly resources?: MCPServerResources | undefined;
  /** Prompts that clients may list and get. */
  readonly prompts?: Readonly<Record<string, MCPServerPrompt>> | undefined;
  /** Suggests values for arguments of prompts and variables of resource templates. */
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
  /** The largest body of a request over HTTP, in bytes. @default 4 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Options of the `AgenticToolsNode` that runs the calls. */
  readonly toolsNode?: Omit<AgenticToolsNodeConfig, "tools"> | undefined;
  /** The runtime of the calls. @default the default runtime */
  readonly runtime?: Runtime | undefined;
  /** Handlers for every call. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** Values for the request context of every call, in addition to `authInfo` and `headers`. */
  readonly requestContext?:
    | Readonly<Record<string, unknown>>
    | ((call: {
        readonly authInfo: McpAuthInfo | undefined;
        readonly headers: Readonly<Record<string, string>>;
      }) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>)
    | undefined;
  /** Where the source code is. */
  readonly repository?: MCPServerRepository | undefined;
  /** An ISO 8601 date. @default now */
  readonly releaseDate?: string | undefined;
  /** Whether this is the newest version. @default true */
  readonly isLatest?: boolean | undefined;
  /** The name of the package that is installed, for registries. */
  readonly packageCanonical?: string | undefined;
  /** Packages that contain the server, as registries define them. */
  readonly packages?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Where the server runs, as registries define it. */
  readonly remotes?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Receives warnings about tools that are not served, and errors outside of calls. @default console */
  readonly logger?: MCPServerLogger | undefined;
}
