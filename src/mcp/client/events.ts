import type { McpList } from "./skipped-entries.js";

/** An event of a connection, for logs and monitoring. */
export type McpEvent =
  | {
      /** The connection is open, with this protocol revision and so many tools. */
      readonly kind: "connected";
      readonly server: string;
      readonly revision: string;
      readonly tools: number;
    }
  | {
      /** The connection was lost. */
      readonly kind: "disconnected";
      readonly server: string;
      readonly error: unknown;
    }
  | {
      /** The connection is about to be reopened, after a pause of `delayMs`. */
      readonly kind: "reconnecting";
      readonly server: string;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | {
      /** All attempts to open the connection have failed. */
      readonly kind: "failed";
      readonly server: string;
      readonly error: unknown;
    }
  | {
      /** The server claims to send change notifications, but does not: `refresh()` finds the changes. */
      readonly kind: "unwatched";
      readonly server: string;
      readonly error: unknown;
    }
  | {
      /** The list of tools, resources or prompts has changed. */
      readonly kind: "tools_changed" | "resources_changed" | "prompts_changed";
      readonly server: string;
    }
  | {
      /** The definition of a tool has changed. */
      readonly kind: "drift";
      readonly server: string;
      /** The name of the tool in this program. */
      readonly tool: string;
      /** The expected fingerprint. */
      readonly before: string;
      readonly after: string;
      /** Whether the tool can no longer be called. */
      readonly denied: boolean;
    }
  | {
      /** The server lists a tool that is neither pinned nor in its first list; `denied` if it cannot be called. */
      readonly kind: "new_tool";
      readonly server: string;
      readonly tool: string;
      readonly denied: boolean;
    }
  | {
      /** A changed list has a tool whose name another server (`other`) already uses; the tool is left out. */
      readonly kind: "duplicate_tool";
      readonly server: string;
      readonly tool: string;
      readonly other: string;
    }
  | {
      /** An entry of a list is left out, because it cannot be used; the others are. */
      readonly kind: "skipped_entry";
      readonly server: string;
      readonly list: McpList;
      /** The name of the entry, or its URI; `(unnamed)` if it has neither. */
      readonly name: string;
      readonly reason: string;
    }
  | {
      /** A schema is not validated, because it refers to other documents or uses an unknown dialect. */
      readonly kind: "unchecked_schema";
      readonly server: string;
      readonly tool: string;
      readonly schema: "inputSchema" | "outputSchema";
      readonly reason: string;
    }
  | {
      /** A log message of the server, or a piece of its standard error. */
      readonly kind: "log";
      readonly server: string;
      readonly level: string;
      readonly data: unknown;
      readonly logger?: string | undefined;
    };
