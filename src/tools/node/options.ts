import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AnyTool } from "../define/any-tool.js";

/** Other names that a model may use for a tool and for its top-level arguments. */
export interface ToolAliases {
  readonly nameAliases?: readonly string[] | undefined;
  /** Argument name → its other names. */
  readonly argumentsAliases?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** What one run may change of a tools node: `{ options: { toolsNode: { tools } } }`. */
export interface ToolsNodeOptions {
  /** Replaces the tools for this call; an empty list means no tools. */
  readonly tools?: readonly AnyTool[] | Readonly<Record<string, AnyTool>> | undefined;
  /** Replaces the aliases for this call, by tool name. */
  readonly toolAliases?: Readonly<Record<string, ToolAliases>> | undefined;
  /** What tools see as `ctx.messages`. @default the assistant message alone */
  readonly messages?: readonly AgenticMessage[] | undefined;
}
