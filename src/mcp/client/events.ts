/** What happens to a connection: for logs, and for people who watch over it. */
export type McpEvent =
  | { readonly kind: "connected"; readonly server: string; readonly revision: string; readonly tools: number }
  | { readonly kind: "disconnected"; readonly server: string; readonly error: unknown }
  | { readonly kind: "reconnecting"; readonly server: string; readonly attempt: number; readonly delayMs: number }
  | { readonly kind: "failed"; readonly server: string; readonly error: unknown }
  /** The server claims to send change notifications, but does not: `refresh()` finds the changes. */
  | { readonly kind: "unwatched"; readonly server: string; readonly error: unknown }
  | { readonly kind: "tools_changed" | "resources_changed" | "prompts_changed"; readonly server: string }
  | {
      /** A tool is not what it was. */
      readonly kind: "drift";
      readonly server: string;
      /** As it is called here. */
      readonly tool: string;
      /** The fingerprint that was expected. */
      readonly before: string;
      readonly after: string;
      /** Whether it can no longer be called. */
      readonly denied: boolean;
    }
  | { readonly kind: "new_tool"; readonly server: string; readonly tool: string; readonly denied: boolean }
  | {
      /** A changed list brought a name that another server has: this tool is left out. */
      readonly kind: "duplicate_tool";
      readonly server: string;
      readonly tool: string;
      readonly other: string;
    }
  | {
      /** A schema that is not checked here, because it refers to other documents or is of an unknown dialect. */
      readonly kind: "unchecked_schema";
      readonly server: string;
      readonly tool: string;
      readonly schema: "inputSchema" | "outputSchema";
      readonly reason: string;
    }
  | {
      readonly kind: "log";
      readonly server: string;
      readonly level: string;
      readonly data: unknown;
      readonly logger?: string | undefined;
    };
