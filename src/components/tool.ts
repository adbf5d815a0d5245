import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ToolResultContent } from "../schema/message/content-block.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { ToolInfo } from "../schema/tool-info.js";
import type { NodeContext } from "./context.js";
import type { McpCallContext } from "./mcp/mcp-call-context.js";
import type { AnyToolOptions } from "./tool-options.js";

/** The output of a tool call: the string that the model reads, or an ordered array of parts. */
export type ToolOutput = string | readonly ToolResultContent[];

/** The context of a tool: everything that it receives besides its input. */
export interface ToolContext<Options = unknown, Suspended = unknown, Resumed = unknown>
  extends NodeContext<unknown, Options> {
  /** The id of the call, as in the message (made unique if the model repeated one). */
  readonly toolCallId: string;
  /** The tool's own name, even if the model used an alias. */
  readonly toolName: string;
  /** The conversation: the call option `messages`, or else the assistant message with the calls. */
  readonly messages: readonly AgenticMessage[];
  /** An alias of `signal`. */
  readonly abortSignal: AbortSignal;
  /** The calling agent, if an agent calls the tool. */
  readonly agent?:
    | { readonly name: string; readonly threadId?: string | undefined; readonly userId?: string | undefined }
    | undefined;
  /** The arguments as the model wrote them, after aliases and the argument handler. */
  readonly rawArguments: string;
  /**
   * Stops the run here until this call is resumed; the tool then runs again with `resumeData`. The payload is shown to
   * the person who answers. It never returns: `return await suspend({ … })`.
   */
  readonly suspend: (payload?: Suspended) => Promise<never>;
  /** The answer with which a suspended call was resumed; `undefined` in its first execution. */
  readonly resumeData: Resumed | undefined;
  /** The client of the MCP server that runs this call; absent otherwise. */
  readonly mcp?: McpCallContext | undefined;
}

/** Whether calls of a tool need approval: a boolean, or a function of the validated input. */
export type ApprovalRule<Input = never> =
  | boolean
  | ((input: Input, ctx: ToolContext<never>) => boolean | Promise<boolean>);

/**
 * The contract of every tool. `createTool` creates one; implement it yourself only if a tool needs the arguments as an
 * unparsed string. At least one of `invoke` and `stream` is required; the other is derived.
 */
export interface Tool<Options = unknown> {
  readonly component: "tool";
  /** The type of the tool for traces: `RunInfo.type`. */
  readonly type?: string | undefined;
  /** The part that the model reads: name, description and parameters. */
  readonly info: ToolInfo;
  /** The contents of `ctx.options`: see `toolOptions`. */
  readonly options?: AnyToolOptions | undefined;
  /** Whether calls need approval before they run: a boolean, or a function of the arguments. @default false */
  readonly requireApproval?: ApprovalRule<string> | undefined;
  /** Runs a call; `args` is JSON text as the model wrote it. */
  invoke?(args: string, ctx: ToolContext<Options>): Promise<ToolOutput>;
  /** Runs a call and streams its output. */
  stream?(args: string, ctx: ToolContext<Options>): StreamSource<ToolOutput>;
}
