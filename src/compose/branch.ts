import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { blocksOf } from "../schema/message/read-message.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { invalidOption, restartedAfterChoice } from "./errors.js";
import { checksRest } from "./plan/plan.js";

/** Options of {@link toolCallsOr}. */
export interface ToolCallsOrOptions {
  /**
   * When to decide: after the whole message, so that a model may write text before it calls tools, or at the first content, so
   * that an answer is streamed on as it is written. @default "whole-message"
   */
  readonly decideOn?: "whole-message" | "first-content" | undefined;
}

/**
 * The branch of an agent, for `addStreamBranch`: chooses the tools if the message calls any, otherwise the other target. With
 * `"first-content"` the first function tool call or piece of an answer decides; reasoning and tools that the provider runs
 * itself are ignored. If the message restarts after the decision, its stream fails with `STREAM_RESTARTED`.
 *
 * @example
 * const tools = new AgenticToolsNode([
 *   createTool({ id: "now", description: "The time.", inputSchema: z.object({}), execute: () => new Date().toISOString() }),
 * ]);
 * const agent = new Graph<AgenticMessage[], AgenticMessage>()
 *   .addModelNode("model", model)
 *   .addToolsNode("tools", tools)
 *   .addEdge(START, "model")
 *   .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END, { decideOn: "first-content" }))
 *   .addEdge("tools", "model")
 *   .compile();
 */
export function toolCallsOr<const Tools, const Other>(
  tools: Tools,
  other: Other,
  { decideOn = "whole-message" }: ToolCallsOrOptions = {},
): (message: StreamReader<AgenticMessage>) => Promise<Tools | Other> {
  switch (decideOn) {
    case "whole-message":
      return async (message) => ((await callsTools(message)) ? tools : other);
    case "first-content":
      return Object.assign(
        async (message: StreamReader<AgenticMessage>) => ((await callsToolsFirst(message)) ? tools : other),
        { [checksRest]: refuseRestart },
      );
    default:
      throw invalidOption(
        `toolCallsOr: decideOn must be "whole-message" or "first-content" (got ${JSON.stringify(decideOn)}).`,
      );
  }
}

/** Reads the whole message. A restart of the message, or of a block, may remove calls again. */
async function callsTools(message: StreamReader<AgenticMessage>): Promise<boolean> {
  const calls = new Set<number | undefined>();
  for await (const chunk of message) {
    if (chunk?.restart === true) calls.clear();
    for (const { type, streamingMeta } of blocksOf(chunk)) {
      if (type === "function_tool_call") calls.add(streamingMeta?.index);
      else if (streamingMeta?.restart === true) calls.delete(streamingMeta.index);
    }
  }
  return calls.size > 0;
}

async function callsToolsFirst(message: StreamReader<AgenticMessage>): Promise<boolean> {
  for await (const chunk of message) {
    const decided = decidedBy(chunk);
    if (decided !== undefined) return decided === "function_tool_call";
  }
  return false;
}

/** The type of the first block in a chunk that decides. */
function decidedBy(chunk: AgenticMessage): ContentBlock["type"] | undefined {
  return blocksOf(chunk).find((block) => block.type === "function_tool_call" || isAnswer(block))?.type;
}

/** Rejects a restart after the decision, because the new message may belong to the other target. */
function refuseRestart(): (chunk: AgenticMessage) => void {
  let isDecided = false;
  return (chunk) => {
    if (isDecided && chunk.restart === true) throw restartedAfterChoice();
    isDecided ||= decidedBy(chunk) !== undefined;
  };
}

function isAnswer(block: ContentBlock): boolean {
  switch (block.type) {
    case "assistant_gen_text":
      return block.text !== "";
    case "assistant_gen_image":
    case "assistant_gen_audio":
    case "assistant_gen_video":
      return true;
    default:
      return false;
  }
}
