import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AnyTool } from "../define/any-tool.js";

/**
 * Other names that a model may use for a tool and for its top-level arguments. An alias that is already taken is an error
 * (`INVALID_ALIAS`). If a call has both an argument and its alias, the argument wins.
 */
export interface ToolAliases {
  /** Other names of the tool. */
  readonly nameAliases?: readonly string[] | undefined;
  /** Other names of arguments, by the argument's own name. */
  readonly argumentsAliases?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * Call options of a tools node, for one run. An option that is not listed here is an error (`INVALID_OPTION`).
 *
 * @example
 * const graph = new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([getWeather])).compile();
 * await graph.invoke(assistantMessage([functionToolCall({ callId: "1", name: "get_weather", arguments: "{}" })]), {
 *   options: { toolsNode: { toolAliases: { get_weather: { nameAliases: ["weather"] } } } },
 * });
 */
export interface ToolsNodeOptions {
  /** Replaces the tools for this call; an empty list means no tools. */
  readonly tools?: readonly AnyTool[] | Readonly<Record<string, AnyTool>> | undefined;
  /** Replaces the aliases for this call, by tool name. */
  readonly toolAliases?: Readonly<Record<string, ToolAliases>> | undefined;
  /** The messages that tools see as `ctx.messages`. @default only the assistant message */
  readonly messages?: readonly AgenticMessage[] | undefined;
}
