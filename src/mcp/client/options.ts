import type { AgenticModel } from "../../components/model.js";
import type { AnyRequestContext } from "../../components/request-context.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import type { ApprovalOptions } from "../../tools/define/approval-option.js";
import type { McpToolDefinition } from "../../tools/mcp/mcp-client.js";
import type { McpEvent } from "./events.js";

/** A program to start, which serves MCP over its standard input and output. It is started without a shell. */
export interface McpCommand {
  /** The program. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[] | undefined;
  /** Environment variables, in addition to a few safe ones that are inherited (`PATH`, `HOME` and the like). */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder that it is started in. @default the folder of this process */
  readonly cwd?: string | undefined;
  /** The destination of its standard error. With `"pipe"`, each piece is a `log` event. @default "inherit" */
  readonly stderr?: "inherit" | "ignore" | "pipe" | undefined;
}

/** A server on the network. */
export interface McpEndpoint {
  /** The URL of the server's MCP endpoint. */
  readonly url: string | URL;
  /** Sent only to the origin of `url`, even after a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** An `AuthProvider` or `OAuthClientProvider` of `@modelcontextprotocol/client`. */
  readonly authProvider?: object | undefined;
  /** A `fetch` of your own, for proxies and tests. @default the global `fetch` */
  readonly fetch?: ((url: string | URL, init?: RequestInit) => Promise<Response>) | undefined;
  /** Use the HTTP+SSE transport of 2024-11-05 instead of streamable HTTP. */
  readonly sse?: true | undefined;
}

/** A transport for the official client. It can be used once, so a lost connection is not reopened. */
export interface McpCustomTransport {
  /** An instance of a `Transport` of `@modelcontextprotocol/client`. */
  readonly transport: object;
}

/** A client that is already connected. It stays open when the connection is closed. */
export interface McpOwnClient {
  /** An instance of `Client` of `@modelcontextprotocol/client`. */
  readonly client: object;
}

/** How to reach one server, and its settings. */
export type McpServerConfig = (McpCommand | McpEndpoint | McpCustomTransport | McpOwnClient) & McpServerSettings;

/** Settings that all kinds of servers share. */
export interface McpServerSettings {
  /**
   * Whether to connect without this server if it is unreachable; it is retried, and `status()` shows its error.
   * @default false
   */
  readonly optional?: boolean | undefined;
  /** How long one call may take, including the wait for a new connection. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /** How long connecting and listing the tools may take. @default 10_000 */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * The protocol revision: `"auto"` for the newest that the server knows, `"legacy"` for those with a handshake, or exactly one.
   * @default "auto"
   */
  readonly revision?: "auto" | "legacy" | { readonly pin: string } | undefined;
  /**
   * The tools to use, by their names on the server. Connecting fails if the server does not have one of them.
   * @default all
   */
  readonly include?: readonly string[] | undefined;
  /** The tools to leave out, by their names on the server. @default none */
  readonly exclude?: readonly string[] | undefined;
  /** The prefix of its tool names, joined with `_`; `false` for none. @default the key of the server */
  readonly prefix?: string | false | undefined;
}

/** A question that a server asks the user. */
export interface ElicitationQuestion {
  readonly kind: "mcp_elicitation";
  /** The name of the server, a key of the servers. */
  readonly server: string;
  /** The name of the tool or prompt on the server, or the URI of the resource. */
  readonly toolName: string;
  /** The id of the call during which the server asks; empty for prompts and resources. */
  readonly toolCallId: string;
  /** `"form"`: fill in a form; `"url"`: open a page. */
  readonly mode: "form" | "url";
  /** The question of the server, for the user. */
  readonly message: string;
  /** The page to open; for `mode: "url"`. */
  readonly url?: string | undefined;
}

/** The answer of the user to an {@link ElicitationQuestion}. */
export interface ElicitationAnswer {
  /** The user's action: answered, refused, or left the question. */
  readonly action: "accept" | "decline" | "cancel";
  /** The values of the form. Missing values get their defaults. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** The context of an elicitation handler. */
export interface ElicitationContext {
  /** Aborted when the call is. */
  readonly signal: AbortSignal;
  /** The schema of the answer. */
  readonly schema: JsonSchema;
  /** The request context of the run that called the tool, if known. */
  readonly requestContext: AnyRequestContext | undefined;
}

/** Answers the questions of servers. */
export type ElicitationHandler = (
  question: ElicitationQuestion,
  ctx: ElicitationContext,
) => ElicitationAnswer | Promise<ElicitationAnswer>;

/** A request of a server to the model of this program. */
export interface SamplingQuestion {
  readonly kind: "mcp_sampling";
  /** The name of the server, a key of the servers. */
  readonly server: string;
  /** The name of the tool or prompt on the server, or the URI of the resource. */
  readonly toolName: string;
  /** The id of the call during which the server asks; empty for prompts and resources. */
  readonly toolCallId: string;
  /** The parameters as the server sent them: `messages`, `systemPrompt`, `maxTokens` and so on. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Whether sampling needs an approval: `true` interrupts the run until it is answered with `{ approved, reason? }`; a
 * function decides by itself.
 */
export type SamplingApproval =
  | boolean
  | ((question: SamplingQuestion, ctx: { readonly signal: AbortSignal }) => boolean | Promise<boolean>);

/** How sampling requests of servers are answered. */
export interface McpSampling {
  /** The model that answers. */
  readonly model: AgenticModel;
  /** Whether each request needs approval, or a function that decides. @default false, every request is answered */
  readonly approve?: SamplingApproval | undefined;
}

/** How to handle changed tool definitions. */
export interface McpDrift {
  /** For a changed tool: `"warn"` emits an event, `"deny"` also refuses calls, `"ignore"` does neither. @default "warn" */
  readonly policy?: "warn" | "deny" | "ignore" | undefined;
  /** The expected fingerprints by `<server>_<name>`, as `fingerprints()` returned them earlier. */
  readonly pins?: Readonly<Record<string, string>> | undefined;
  /** Whether to use tools that are neither pinned nor in the first list. @default "allow" */
  readonly newTools?: "allow" | "deny" | undefined;
}

/** How to reopen a lost connection. */
export interface McpReconnect {
  /** The number of attempts; `Infinity` to never give up. @default 5 */
  readonly attempts?: number | undefined;
  /** The delay before the first attempt, which doubles up to `maxDelayMs`. @default 500 */
  readonly delayMs?: number | undefined;
  /** The longest delay. @default 30_000 */
  readonly maxDelayMs?: number | undefined;
}

/** A folder or resource that servers may use. */
export interface McpRoot {
  /** The address of the folder or file, such as `file:///home/ann/project`. */
  readonly uri: string;
  /** A name for people. */
  readonly name?: string | undefined;
}

/** Options of {@link connectMcp}. `requireApproval` takes the tool names of this program: `<server>_<name>`. */
export interface McpOptions extends ApprovalOptions<McpToolDefinition> {
  /** The name and version sent to servers. @default the name and version of this package */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /**
   * How questions of a server to the user are answered: by an interrupt of the run, by declining them, or by a function. Servers
   * of older revisions ask during the call, where a run cannot wait; only a function can answer them.
   * @default "interrupt"
   */
  readonly elicitation?: "interrupt" | "decline" | ElicitationHandler | undefined;
  /** The model that answers sampling requests of servers. @default sampling is not offered */
  readonly sampling?: AgenticModel | McpSampling | undefined;
  /** The folders that servers may work in. */
  readonly roots?: readonly McpRoot[] | (() => readonly McpRoot[] | Promise<readonly McpRoot[]>) | undefined;
  /** The reaction to a tool's definition that changes after it was approved. */
  readonly drift?: McpDrift | undefined;
  /** How to reopen a lost connection; `false` to never reopen it. */
  readonly reconnect?: McpReconnect | false | undefined;
  /** Receives what happens to connections: lost, reopened, lists that changed, entries that were left out. */
  readonly onEvent?: ((event: McpEvent) => void) | undefined;
}
