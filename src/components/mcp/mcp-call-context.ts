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
  /** Who speaks: the client's model answers as `"assistant"`. */
  readonly role: "user" | "assistant";
  /** The content of the message, as MCP defines it. */
  readonly content: unknown;
  /** The name of the model that answered. */
  readonly model: string;
  /** Why the model stopped, such as `"endTurn"`. */
  readonly stopReason?: string | undefined;
}

/** A folder or resource that an MCP client shares with servers. */
export interface McpClientRoot {
  /** The address of the folder or file, such as `file:///home/ann/project`. */
  readonly uri: string;
  /** A name for people. */
  readonly name?: string | undefined;
}
