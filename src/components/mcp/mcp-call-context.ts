/** The MCP client for which a tool or a prompt runs: `ctx.mcp`, if there is one. */
export interface McpCallContext {
  /** The capabilities of the client: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Asks the client's model, and returns `{ role, content, model }`. Fails if the client has no `sampling`. */
  sample(params: Readonly<Record<string, unknown>>): Promise<McpSampledMessage>;
  /** Returns the folders that the client shares. Fails if the client has no `roots`. */
  roots(): Promise<readonly McpClientRoot[]>;
  /** Writes to the client's log, if the client wants that level. */
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

/** A folder or resource that an MCP client shares with servers. */
export interface McpClientRoot {
  readonly uri: string;
  readonly name?: string | undefined;
}
