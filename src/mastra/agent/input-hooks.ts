import type { Handler } from "../../callbacks/handler.js";
import { isFields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { toolCallsOf } from "../../schema/message/read-message.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import { isMastraTool, toolParts } from "../tools/create-tool.js";

/** The tools of a call, by the names that a model knows. */
export type ToolsByName = ReadonlyMap<string, unknown>;

export function toolsByName(tools: unknown): ToolsByName {
  if (Array.isArray(tools)) return new Map(tools.map((tool) => [isFields(tool) ? String(tool.id) : "", tool]));
  return new Map(Object.entries(isFields(tools) ? tools : {}));
}

/** Calls `onInputStart` and `onInputDelta` of tools while a model writes their input. */
export function inputHooks(tools: () => ToolsByName, signal: AbortSignal | undefined): Handler {
  return {
    onEndWithStreamOutput: (info, stream) => {
      if (info.component === "model")
        void follow(stream as StreamReader<{ readonly message: AgenticMessage }>, tools, signal);
      else void stream.cancel();
    },
  };
}

async function follow(
  stream: StreamReader<{ readonly message: AgenticMessage }>,
  tools: () => ToolsByName,
  signal: AbortSignal | undefined,
): Promise<void> {
  const calls = new Map<unknown, { readonly tool: unknown; readonly callId: string }>();
  const abortSignal = signal ?? new AbortController().signal;
  try {
    for await (const { message } of stream) {
      for (const { callId, name, arguments: text, streamingMeta } of toolCallsOf(message)) {
        const place = streamingMeta?.index ?? callId;
        const isNew = !calls.has(place);
        if (isNew) calls.set(place, { tool: tools().get(name), callId });
        const call = calls.get(place);
        const common = { toolCallId: call?.callId ?? callId, messages: [message], abortSignal };
        if (isNew) tell(call?.tool, "onInputStart", common);
        if (text !== "") tell(call?.tool, "onInputDelta", { ...common, inputTextDelta: text });
      }
    }
  } catch {
    // the run tells of it
  }
}

/** A hook that fails is logged, and fails nothing. */
function tell(tool: unknown, hook: "onInputStart" | "onInputDelta", given: object): void {
  const run = isMastraTool(tool) ? tool[toolParts].hooks[hook] : undefined;
  if (run === undefined) return;
  const log = (error: unknown): void => console.error(error);
  try {
    Promise.resolve(run(given as never)).catch(log);
  } catch (error) {
    log(error);
  }
}
