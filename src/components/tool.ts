import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ToolResultContent } from "../schema/message/content-block.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { ToolInfo } from "../schema/tool-info.js";
import type { NodeContext } from "./context.js";
import type { McpCallContext } from "./mcp/mcp-call-context.js";
import type { AnyToolOptions } from "./tool-options.js";

/** What a tool call results in: the text that the model reads, or an ordered list of parts. */
export type ToolOutput = string | readonly ToolResultContent[];

/** What a tool gets beside its input. */
export interface ToolContext<Options = unknown, Suspended = unknown, Resumed = unknown>
  extends NodeContext<unknown, Options> {
  /** The id of the call, as in the message (made unique when the model repeated one). */
  readonly toolCallId: string;
  /** The tool's own name, also when the model used an alias. */
  readonly toolName: string;
  /** The conversation: the call option `messages`, else the assistant message with the calls. */
  readonly messages: readonly AgenticMessage[];
  /** Another name of `signal`. */
  readonly abortSignal: AbortSignal;
  /** The agent that called, in a tool of an agent. */
  readonly agent?: { readonly name: string; readonly threadId?: string | undefined } | undefined;
  /** The arguments as the model wrote them, after aliases and the argument handler. */
  readonly rawArguments: string;
  /**
   * Stops the run here until this call is resumed; the tool then runs again with `resumeData`. The payload is shown to
   * the person who answers. It never returns: `return await suspend({ … })`.
   */
  readonly suspend: (payload?: Suspended) => Promise<never>;
  /** What a suspended call was resumed with; `undefined` in its first execution. */
  readonly resumeData: Resumed | undefined;
  /** The client of the MCP server that runs this call; absent elsewhere. */
  readonly mcp?: McpCallContext | undefined;
}

/** Whether calls of a tool need approval: a boolean, or a function of the validated input. */
export type NeedsApproval<Input = never> =
  | boolean
  | ((input: Input, ctx: ToolContext<never>) => boolean | Promise<boolean>);

/**
 * The contract of every tool. `createTool` makes one; implement it by hand only for tools that want the raw text of their
 * arguments. At least one of `invoke` and `stream` is there; the other is derived.
 */
export interface Tool<Options = unknown> {
  readonly component: "tool";
  readonly type?: string | undefined;
  readonly info: ToolInfo;
  /** What `ctx.options` holds: see `toolOptions`. */
  readonly options?: AnyToolOptions | undefined;
  /** Whether calls need approval before they run: a boolean, or a function of the arguments. @default false */
  readonly requireApproval?: NeedsApproval<string> | undefined;
  /** Another name of `requireApproval`. */
  readonly needsApproval?: NeedsApproval<string> | undefined;
  invoke?(args: string, ctx: ToolContext<Options>): Promise<ToolOutput>;
  stream?(args: string, ctx: ToolContext<Options>): StreamSource<ToolOutput>;
}
