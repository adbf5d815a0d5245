import { type AgenticMessage, assistantMessage, functionToolCall, systemMessage, userMessage } from "kumiko";
import { weather } from "../contender.js";
import { writingModel } from "./package-model.js";
import { type AgentWorks, answer, callText, instructions, PIECES, piece, question, ROUNDS, TURNS } from "./tasks.js";

/** A model that answers at once: with a call until it has enough results. */
export async function answerTo(messages: readonly AgenticMessage[]): Promise<AgenticMessage> {
  const done = Math.floor((messages.length - 2) / 2);
  if (done >= ROUNDS) return assistantMessage(answer);
  return assistantMessage([functionToolCall({ callId: `call_${done}`, name: weather.name, arguments: callText })]);
}

/** Pieces of one text. */
export async function* textPieces(): AsyncGenerator<AgenticMessage, void> {
  for (let n = 0; n < PIECES; n++) {
    yield {
      role: "assistant",
      contentBlocks: [{ type: "assistant_gen_text", text: piece, streamingMeta: { index: 0 } }],
    };
  }
}

/** The messages of a thread. */
export const talk: readonly (readonly AgenticMessage[])[] = Array.from({ length: TURNS }, (_, n) => [
  userMessage(`${question} (${n})`),
  assistantMessage(`${answer} ${"And so on. ".repeat(20)}`),
]);

/** What a careful user writes without any library. */
export const agentsByHand: AgentWorks = {
  generate: () => async () => {
    const messages: AgenticMessage[] = [systemMessage(instructions), userMessage(question)];
    for (;;) {
      const message = await answerTo(messages);
      messages.push(message);
      const calls = message.contentBlocks.filter((block) => block.type === "function_tool_call");
      if (calls.length === 0) return textIn(message);
      for (const { callId, name, arguments: text } of calls) {
        const checked = weather.schema["~standard"].validate(JSON.parse(text));
        const parsed = checked instanceof Promise ? await checked : checked;
        if (parsed.issues) throw new Error("invalid arguments");
        const result = JSON.stringify(await weather.execute(parsed.value));
        messages.push({ role: "user", contentBlocks: [{ type: "function_tool_result", callId, name, result }] });
      }
    }
  },
  chunks: () => async () => {
    let length = 0;
    for await (const chunk of textPieces()) length += textIn(chunk).length;
    return length;
  },
  adapter: () => async () => {
    let length = 0;
    const { stream } = await writingModel.doStream({ prompt: [] });
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return length;
      if (value.type === "text-delta") length += value.delta.length;
    }
  },
  thread: () => {
    const stored = talk.map((messages) => JSON.stringify(messages));
    return () => stored.flatMap((text) => JSON.parse(text) as AgenticMessage[]).length;
  },
};

export function textIn({ contentBlocks }: AgenticMessage): string {
  const [block] = contentBlocks;
  return block?.type === "assistant_gen_text" ? block.text : "";
}
