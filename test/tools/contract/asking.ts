import {
  type AgenticMessage,
  assistantMessage,
  type FunctionToolResult,
  functionToolCall,
  type StreamReader,
  toolResultsOf,
} from "kumiko";
import { concatMessageLists } from "kumiko/schema";

/** A call as a test writes it: name, arguments (text, or what becomes JSON), and an id when it matters. */
export type AskedCall = readonly [name: string, input?: unknown, callId?: string];

/** An assistant message with these calls; their ids are "1", "2" … unless given. */
export function asking(...calls: readonly AskedCall[]): AgenticMessage {
  return assistantMessage(
    calls.map(([name, input, callId], index) =>
      functionToolCall({
        callId: callId ?? `${index + 1}`,
        name,
        arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
      }),
    ),
  );
}

/** The one result block of each message. */
export function blocksOf(messages: readonly AgenticMessage[]): FunctionToolResult[] {
  return messages.map((message) => {
    const blocks = toolResultsOf(message);
    const [block] = blocks;
    if (block === undefined || blocks.length !== 1 || message.contentBlocks.length !== 1 || message.role !== "user") {
      throw new Error(`not a user message with one result: ${JSON.stringify(message)}`);
    }
    return block;
  });
}

export const textsOf = (messages: readonly AgenticMessage[]): string[] =>
  blocksOf(messages).map(({ result }) => result);

/** Reads a stream of the node to its end: the chunks as they came, and what they make together. */
export async function readAll<T>(stream: StreamReader<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** What the chunks of the node's stream make together. */
export async function joined(stream: StreamReader<AgenticMessage[]>): Promise<AgenticMessage[]> {
  return concatMessageLists(await readAll(stream));
}

/** What a promise rejects with; it is an error when it does not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("expected a rejection");
}

/** A promise to open from outside. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export const ticks = async (count = 5): Promise<void> => {
  for (let index = 0; index < count; index += 1) await new Promise((resolve) => setTimeout(resolve, 0));
};

/** Notes something on the way to a value. */
export function noting<Entry, T>(log: Entry[], entry: Entry, value: T): T {
  log.push(entry);
  return value;
}
