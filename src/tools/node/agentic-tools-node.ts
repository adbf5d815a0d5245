import type { callOptions } from "../../compose/types/call-options.js";
import { BareRunnable } from "../../run/bare-runnable.js";
import type { Context } from "../../run/context.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import type { AnyTool } from "../define/any-tool.js";
import { CallBatch, callsIn } from "./call-batch.js";
import { withCallIds } from "./call-ids.js";
import type { AgenticToolsNodeConfig } from "./config.js";
import { describeTools } from "./describe-tools.js";
import type { ToolsNodeOptions } from "./options.js";
import { ResultStream } from "./result-stream.js";
import { withoutExecution } from "./results-of.js";
import { isToolArray } from "./tool-list.js";
import { type SkippedTool, ToolKit } from "./tool-table.js";

/**
 * Executes the tool calls of an assistant message. Returns one message per call, in call order, each with one
 * `function_tool_result` block; when streaming, each chunk is an array of that length with one slot filled. All calls are
 * parsed and validated before any tool runs; then they run concurrently, unless `executeSequentially` is set. A failed call
 * rejects with a `ToolError`, unless `onToolError` turns it into a result. The constructor throws if an option, a tool,
 * a name or an alias is invalid (`INVALID_OPTION`, `INVALID_TOOL`, `DUPLICATE_TOOL`, `INVALID_ALIAS`, `SCHEMA_UNSUPPORTED`).
 *
 * @example
 * const tools = new AgenticToolsNode({ tools: [getWeather], onToolError: "result" });
 * const results = await tools.invoke(
 *   assistantMessage([functionToolCall({ callId: "1", name: "get_weather", arguments: '{"city":"深圳"}' })]),
 * );
 */
export class AgenticToolsNode extends BareRunnable<AgenticMessage, AgenticMessage[]> {
  readonly component = "tools_node";
  /** Exists in types only: the call options of this node. */
  declare readonly [callOptions]?: ToolsNodeOptions | undefined;
  readonly #infos: readonly ToolInfo[];
  readonly #skipped: readonly SkippedTool[];

  /** Takes an array of tools, or all options. */
  constructor(config: AgenticToolsNodeConfig | readonly AnyTool[]) {
    const kit = new ToolKit(isToolArray(config) ? { tools: config } : config);
    super({
      component: "tools_node",
      type: "",
      body: {
        kind: "modes",
        invoke: (message: AgenticMessage, ctx: Context) => open(kit, message, ctx).run(),
        stream: (message: AgenticMessage, ctx: Context) => new StreamReader(new ResultStream(open(kit, message, ctx))),
        ...(kit.hasInputHooks ? streamedInput(kit) : undefined),
      },
      describe: () => ({ tools: describeTools(kit.table) }),
    });
    this.#infos = kit.infos;
    this.#skipped = kit.skipped;
  }

  /** The tool infos for a model's option `tools`. */
  get infos(): readonly ToolInfo[] {
    return this.#infos;
  }

  /** With `onSchemaError: "skip"`, the tools that were left out because their schemas cannot be converted to JSON Schema. */
  get skippedTools(): readonly SkippedTool[] {
    return this.#skipped;
  }

  /** Returns the message with the call ids that the results use: missing ids are generated, repeated ones get a suffix. */
  normalize(message: AgenticMessage): AgenticMessage {
    callsIn(message);
    return withCallIds(message);
  }
}

/** The modes for a message that streams in, used only if a tool has input hooks. Otherwise it is joined before the node. */
function streamedInput(kit: ToolKit) {
  const read = async (chunks: StreamSource<AgenticMessage>, ctx: Context): Promise<AgenticMessage> => {
    const { readStreamedCalls } = await import("./streamed-calls.js");
    const message = await readStreamedCalls(chunks, kit, ctx);
    ctx.scope.throwIfAborted();
    return message;
  };
  return {
    collect: async (chunks: StreamSource<AgenticMessage>, ctx: Context) =>
      open(kit, await read(chunks, ctx), ctx).run(),
    transform: async (chunks: StreamSource<AgenticMessage>, ctx: Context) =>
      new StreamReader(new ResultStream(open(kit, await read(chunks, ctx), ctx))),
  };
}

/** Creates the batch of a message's calls. An error here comes before any tool has run. */
function open(kit: ToolKit, message: AgenticMessage, nodeContext: Context): CallBatch {
  try {
    return new CallBatch(kit, message, nodeContext);
  } catch (error) {
    throw withoutExecution(error, message);
  }
}
