import type { AgenticModel } from "../../components/model.js";
import type { AnyRequestContext } from "../../components/request-context.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import type { ApprovalOptions } from "../../tools/define/approval-option.js";
import type { McpToolDefinition } from "../../tools/mcp/mcp-client.js";
import type { McpEvent } from "./events.js";

/** A program that is started, and spoken to over its standard input and output. No shell is involved. */
export interface McpCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Beside the few variables that are safe to hand on (`PATH`, `HOME` and the like). */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** What becomes of its standard error. @default "inherit" */
  readonly stderr?: "inherit" | "ignore" | "pipe" | undefined;
}

/** A server on the network. */
export interface McpEndpoint {
  readonly url: string | URL;
  /** Sent to the origin of `url` only, also where the server redirects. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** An `AuthProvider` or `OAuthClientProvider` of `@modelcontextprotocol/client`. */
  readonly authProvider?: object | undefined;
  readonly fetch?: ((url: string | URL, init?: RequestInit) => Promise<Response>) | undefined;
  /** Speak the transport of 2024-11-05: one stream of events, and posts beside it. */
  readonly sse?: true | undefined;
}

/** A transport of the official client. It serves one connection, so it is not connected again when it ends. */
export interface McpCustomTransport {
  readonly transport: object;
}

/** A client that is connected already. It stays yours: closing the connection leaves it open. */
export interface McpOwnClient {
  readonly client: object;
}

/** Where one server is, and how it is used. */
export type McpServerConfig = (McpCommand | McpEndpoint | McpCustomTransport | McpOwnClient) & McpServerSettings;

/** Settings that all kinds of servers share. */
export interface McpServerSettings {
  /** Go on without it when it cannot be reached: it stands in `status()` and is tried again. @default false */
  readonly optional?: boolean | undefined;
  /** How long one call may take, waiting for a new connection included. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /** How long connecting and listing the tools may take. @default 10_000 */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Which revision of the protocol to speak: the newest that the server knows, those with a handshake, or exactly one.
   * @default "auto"
   */
  readonly revision?: "auto" | "legacy" | { readonly pin: string } | undefined;
  /** The tools to take, by the server's own names. A name that it does not have when it connects is an error. @default all */
  readonly include?: readonly string[] | undefined;
  /** The tools to leave out. @default none */
  readonly exclude?: readonly string[] | undefined;
  /** What stands before the names of its tools, with a `_` between; `false` for nothing. @default the key of the server */
  readonly prefix?: string | false | undefined;
}

/** What a server wants to know from a person. */
export interface ElicitationQuestion {
  readonly kind: "mcp_elicitation";
  readonly server: string;
  /** The server's own name of the tool; of a prompt or resource, its name or URI. */
  readonly toolName: string;
  readonly toolCallId: string;
  /** A form to fill in, or a page to open. */
  readonly mode: "form" | "url";
  readonly message: string;
  readonly url?: string | undefined;
}

/** The answer to a question of a server. */
export interface ElicitationAnswer {
  readonly action: "accept" | "decline" | "cancel";
  /** The form, as filled in. What is left out gets its default. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** The context of an elicitation handler. */
export interface ElicitationContext {
  readonly signal: AbortSignal;
  /** What the answer must look like. */
  readonly schema: JsonSchema;
  /** Of the run that called the tool, where that is known. */
  readonly requestContext: AnyRequestContext | undefined;
}

/** Answers the questions of servers. */
export type ElicitationHandler = (
  question: ElicitationQuestion,
  ctx: ElicitationContext,
) => ElicitationAnswer | Promise<ElicitationAnswer>;

/** What a server wants a model to answer. */
export interface SamplingQuestion {
  readonly kind: "mcp_sampling";
  readonly server: string;
  readonly toolName: string;
  readonly toolCallId: string;
  /** `messages`, `systemPrompt`, `maxTokens` and so on, as the server sent them. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Whether a model may answer: `true` asks a person first, by an interrupt that is answered with `{ approved, reason? }`. */
export type SamplingApproval =
  | boolean
  | ((question: SamplingQuestion, ctx: { readonly signal: AbortSignal }) => boolean | Promise<boolean>);

/** How sampling requests of servers are answered. */
export interface McpSampling {
  readonly model: AgenticModel;
  /** @default false: every request is answered */
  readonly approve?: SamplingApproval | undefined;
}

/** How changed tool definitions are handled. */
export interface McpDrift {
  /** What becomes of a tool that is not what it was: an event, no more calls, or nothing. @default "warn" */
  readonly policy?: "warn" | "deny" | "ignore" | undefined;
  /** The fingerprints that tools must have, by `<server>_<name>`, whatever its prefix: what `fingerprints()` gave once. */
  readonly pins?: Readonly<Record<string, string>> | undefined;
  /** Whether tools are taken that were neither pinned nor in the first list. @default "allow" */
  readonly newTools?: "allow" | "deny" | undefined;
}

/** How a lost connection is reopened. */
export interface McpReconnect {
  /** `Infinity`: until it is there again. @default 5 */
  readonly attempts?: number | undefined;
  /** The first pause, which doubles up to `maxMs`. @default 500 */
  readonly minMs?: number | undefined;
  /** @default 30_000 */
  readonly maxMs?: number | undefined;
}

/** A folder or resource that servers may use. */
export interface McpRoot {
  readonly uri: string;
  readonly name?: string | undefined;
}

/** Options of {@link connectMcp}. Names in `requireApproval` are those that the tools have here: `<server>_<name>`. */
export interface McpOptions extends ApprovalOptions<McpToolDefinition> {
  /** How this program introduces itself. @default the package's name and version */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /**
   * How questions of a server to the user are answered: by an interrupt of the run, declined, or by a function. Servers of older
   * revisions ask during the call, where a run cannot wait; without a function, they are told that the user cannot be asked.
   * @default "interrupt"
   */
  readonly elicitation?: "interrupt" | "decline" | ElicitationHandler | undefined;
  /** Answers what servers ask a model. Without it they are told that there is none. */
  readonly sampling?: AgenticModel | McpSampling | undefined;
  /** The folders that servers may work in. */
  readonly roots?: readonly McpRoot[] | (() => readonly McpRoot[] | Promise<readonly McpRoot[]>) | undefined;
  readonly drift?: McpDrift | undefined;
  /** How a lost connection is made again; `false`: it is not. */
  readonly reconnect?: McpReconnect | false | undefined;
  readonly onEvent?: ((event: McpEvent) => void) | undefined;
}
