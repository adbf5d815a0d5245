import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { toolCallsOf } from "../schema/message/read-message.js";
import type { AgentEventBody } from "./agent-event.js";

interface Listening {
  /** A promise when the model should wait for readers. */
  emit(event: AgentEventBody): Promise<void> | undefined;
  emitText(delta: string, index: number): Promise<void> | undefined;
}

/** Tells what the chunks of an answer bring. */
export class ChunkEvents {
  readonly #turn: Listening;
  /** The calls that have begun, by the index of their block. */
  #calls = new Map<number, string>();
  /** The text that was delivered, piece by piece. */
  readonly texts: string[] = [];

  constructor(turn: Listening) {
    this.#turn = turn;
  }

  /** Voids the events so far. */
  restart(): void {
    this.#calls = new Map();
    this.texts.length = 0;
  }

  /** A promise when the model should wait for readers. */
  add({ contentBlocks }: AgenticMessage): Promise<void> | undefined {
    let wait: Promise<void> | undefined;
    for (let position = 0; position < contentBlocks.length; position++) {
      const block = contentBlocks[position] as ContentBlock;
      wait = this.#addBlock(block, block.streamingMeta?.index ?? position) ?? wait;
    }
    return wait;
  }

  #addBlock(block: ContentBlock, index: number): Promise<void> | undefined {
    switch (block.type) {
      case "assistant_gen_text":
        if (block.text === "") return undefined;
        this.texts.push(block.text);
        return this.#turn.emitText(block.text, index);
      case "reasoning":
        return block.text === "" ? undefined : this.#turn.emit({ type: "reasoning_delta", delta: block.text, index });
      case "function_tool_call": {
        const callId = this.#calls.get(index) ?? block.callId;
        if (!this.#calls.has(index)) {
          this.#calls.set(index, callId);
          this.#turn.emit({ type: "tool_call_start", callId, name: block.name });
        }
        const delta = block.arguments;
        return delta ? this.#turn.emit({ type: "tool_call_delta", callId, delta }) : undefined;
      }
      default:
        return undefined;
    }
  }
}

/** Events that need the whole answer. */
export function wholeEvents(message: AgenticMessage): AgentEventBody[] {
  const blocks = message.contentBlocks.filter(({ type }) => !inPieces.includes(type));
  const calls = toolCallsOf(message);
  return [
    ...blocks.map((block): AgentEventBody => ({ type: "block", block })),
    ...calls.map((call): AgentEventBody => {
      return { type: "tool_call", callId: call.callId, name: call.name, arguments: call.arguments };
    }),
    { type: "message", message },
  ];
}

const inPieces: readonly string[] = ["assistant_gen_text", "reasoning", "function_tool_call"];

/** Emits the events that need a whole answer. */
export function tellWhole(turn: { emit(event: AgentEventBody): void }, answer: AgenticMessage): void {
  for (const event of wholeEvents(answer)) turn.emit(event);
}
