/** The client of an MCP server for whom a tool or a prompt runs: `ctx.mcp`, where that is the case. */
export interface McpCallContext {
  /** What the client says that it can do: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Lets the client's model answer: gives `{ role, content, model }`. Fails where the client has no `sampling`. */
  sample(params: Readonly<Record<string, unknown>>): Promise<McpSampledMessage>;
  /** The folders that the client has opened. Fails where the client has no `roots`. */
  roots(): Promise<readonly McpClientRoot[]>;
  /** Writes into the client's log, if it wants to read that level. */
  log(level: McpLogLevel, data: unknown, logger?: string): Promise<void>;
}

/** The levels of log messages in MCP. */
export type McpLogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** The answer of a client's model to a sampling request. */
export interface McpSampledMessage {
  readonly role: "user" | "assistant";
  readonly content: unknown;
  readonly model: string;
  readonly stopReason?: string | undefined;
}

/** A folder or resource that an MCP client opens to servers. */
export interface McpClientRoot {
  readonly uri: string;
  readonly name?: string | undefined;
}
