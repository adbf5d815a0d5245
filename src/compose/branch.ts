import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { invalidOption, restartedAfterChoice } from "./errors.js";
import { checksRest } from "./plan/plan.js";

export interface ToolCallsOrOptions {
  /**
   * When to decide: after the whole message, so that a model may talk before it calls tools, or at the first content, so
   * that an answer goes on as it is written. @default "whole-message"
   */
  readonly decideOn?: "whole-message" | "first-content" | undefined;
}

/**
 * The choice that every agent makes, for `addStreamBranch`: to the tools when the message calls some, elsewhere otherwise.
 * With `"first-content"` the first function tool call or piece of an answer decides; reasoning and what the provider runs
 * itself decide nothing. A message that begins again after that is an error of its stream, `STREAM_RESTARTED`.
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
        `toolCallsOr: decideOn is "whole-message" or "first-content", not ${JSON.stringify(decideOn)}.`,
      );
  }
}

/** A message that begins again, or a block that does, may turn out to be no call. */
async function callsTools(message: StreamReader<AgenticMessage>): Promise<boolean> {
  const calls = new Set<number | undefined>();
  for await (const { contentBlocks, restart } of message) {
    if (restart === true) calls.clear();
    for (const { type, streamingMeta } of contentBlocks) {
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

/** The first content of a chunk that decides something. */
function decidedBy({ contentBlocks }: AgenticMessage): ContentBlock["type"] | undefined {
  return contentBlocks.find((block) => block.type === "function_tool_call" || isAnswer(block))?.type;
}

/** An answer that begins again after it was decided where it goes may belong elsewhere. */
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
