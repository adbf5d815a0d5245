import type { RequestContext } from "../../components/request-context.js";
import type { NeedsApproval, ToolContext } from "../../components/tool.js";
import type { Fields } from "../../is.js";
import type { ToolParameters } from "../../schema/json-schema/tool-parameters.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { type CreatedTool, type ExecuteInput, makeTool } from "../define/create-tool.js";
import { approvalOf } from "./approval-of.js";

/** The argument of the `execute` of an older Mastra tool: everything in one object. */
export interface LegacyCall<Input> {
  /** The validated arguments. */
  readonly context: Input;
  readonly runtimeContext: RequestContext;
  readonly requestContext: RequestContext;
  readonly abortSignal: AbortSignal;
  readonly suspend: (payload?: unknown) => Promise<never>;
  readonly resumeData: unknown;
  /** Reports progress to handlers. */
  readonly writer: { write(chunk: unknown): Promise<void>; custom(chunk: unknown): Promise<void> };
}

/** The second argument of its `execute`, as in the AI SDK. */
export interface LegacyCallOptions {
  readonly toolCallId: string;
  readonly messages: readonly AgenticMessage[];
  readonly abortSignal: AbortSignal;
}

/** The argument of {@link legacyTool}: a tool in the form of Mastra before version 1. */
export interface LegacyTool<
  InputSchema extends ToolParameters | undefined,
  OutputSchema extends AnyStandardSchema | JsonSchema | undefined,
> {
  readonly id: string;
  readonly description: string;
  readonly inputSchema?: InputSchema | undefined;
  readonly outputSchema?: OutputSchema | undefined;
  /** Whether calls need approval: a boolean, or a function of the input. */
  readonly requireApproval?: NeedsApproval<ExecuteInput<InputSchema>> | undefined;
  /** Another name of `requireApproval`. */
  readonly needsApproval?: NeedsApproval<ExecuteInput<InputSchema>> | undefined;
  readonly suspendSchema?: AnyStandardSchema | JsonSchema | undefined;
  readonly resumeSchema?: AnyStandardSchema | JsonSchema | undefined;
  execute(call: LegacyCall<ExecuteInput<InputSchema>>, options: LegacyCallOptions): unknown;
}

/**
 * Makes a tool from one in the form of Mastra before version 1, whose `execute` gets one object with the arguments under `context`.
 * Output is checked against `outputSchema`. Throws where `createTool` does.
 *
 * @example
 * const getWeather = legacyTool({
 *   id: "get_weather",
 *   description: "Current weather of a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   execute: async ({ context, runtimeContext }) => `${context.city}: 20 ${runtimeContext.get("unit")}`,
 * });
 */
export function legacyTool<
  InputSchema extends ToolParameters | undefined = undefined,
  OutputSchema extends AnyStandardSchema | JsonSchema | undefined = undefined,
>(tool: LegacyTool<InputSchema, OutputSchema>): CreatedTool<InputSchema, OutputSchema, Record<never, never>, false> {
  const { id, description, inputSchema, outputSchema, suspendSchema, resumeSchema } = tool;
  const execute = (input: ExecuteInput<InputSchema>, ctx: ToolContext<Record<never, never>>): unknown =>
    tool.execute(callOf(input, ctx), optionsOf(ctx));
  const schemas = { inputSchema, outputSchema, suspendSchema, resumeSchema };
  const needsApproval = approvalOf(tool as object as Fields, (ctx) => ctx);
  const options = { id, description, ...schemas, needsApproval, execute };
  return makeTool(options as never) as CreatedTool<InputSchema, OutputSchema, Record<never, never>, false>;
}

function callOf<Input>(context: Input, ctx: ToolContext): LegacyCall<Input> {
  const { abortSignal, suspend, resumeData } = ctx;
  const requestContext = ctx.requestContext as RequestContext;
  const write = async (chunk: unknown): Promise<void> => ctx.progress(chunk);
  const writer = { write, custom: write };
  return { context, runtimeContext: requestContext, requestContext, abortSignal, suspend, resumeData, writer };
}

function optionsOf({ toolCallId, messages, abortSignal }: ToolContext): LegacyCallOptions {
  return { toolCallId, messages, abortSignal };
}
