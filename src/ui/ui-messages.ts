import type { AgentEvent } from "../agents/agent-event.js";
import { encodedId } from "../agents/call-settings.js";
import { partedLog, partsOf, promptIds, storedEvents } from "../agents/threads/stored-turn.js";
import type { Threads, Turn } from "../agents/threads/threads.js";
import { checkOptions } from "../check-options.js";
import { hasMethod } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { ErrorMask, type OnError } from "./error-mask.js";
import { invalidUiOption } from "./errors.js";
import { fileChunks } from "./ui-blocks.js";
import { UiChunks } from "./ui-chunks.js";
import { MessageParts, type UiPart } from "./ui-parts.js";

/** Options of {@link uiMessages}. */
export interface UiMessagesOptions {
  /** How many turns to return, counted from the newest. @default all */
  readonly last?: number | undefined;
  /** Returns the text of a failed call. @default () => "An error occurred." */
  readonly onError?: OnError | undefined;
  /** Whether to return the reasoning of the model. @default true */
  readonly sendReasoning?: boolean | undefined;
}

/** A message as `useChat` of the AI SDK has it. */
export interface UiMessage {
  /** The id of a prompt, or `turn-<number>` for the answer of a turn. */
  readonly id: string;
  /** Who speaks. */
  readonly role: "user" | "assistant";
  /** Of an answer: why it ended and its tokens, and a `status` if the turn has failed, was aborted or cut off. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The parts, as the AI SDK names them. */
  readonly parts: readonly UiPart[];
}

/**
 * Returns the messages of a thread for `useChat`, so that a reloaded page shows the chat as it was: the prompts, and an answer per
 * turn with its calls, results and open approvals. While a turn runs, its prompt is the last message, and `eventLog` replays its
 * answer. Texts of errors are masked as in `uiMessageStream`.
 *
 * @example
 * const messages = await uiMessages(threads(memoryStore()), "chat-1", { last: 20 });
 */
export async function uiMessages(threads: Threads, id: string, options: UiMessagesOptions = {}): Promise<UiMessage[]> {
  checkOptions("uiMessages", options, ["last", "onError", "sendReasoning"]);
  const { last, onError, sendReasoning = true } = options;
  if (!hasMethod(threads, "turns"))
    throw invalidUiOption("uiMessages", "threads", "what threads(store) returns", threads);
  if (typeof id !== "string" || encodedId(id) === undefined)
    throw invalidUiOption("uiMessages", "id", "a string of 1 to 256 characters, percent-encoded", id);
  if (last !== undefined && !(Number.isInteger(last) && last >= 1))
    throw invalidUiOption("uiMessages", "last", "a whole number of turns of at least 1", last);
  if (onError !== undefined && typeof onError !== "function")
    throw invalidUiOption("uiMessages", "onError", "a function of an error that returns a text", onError);
  if (typeof sendReasoning !== "boolean")
    throw invalidUiOption("uiMessages", "sendReasoning", "true or false", sendReasoning);
  const mask = new ErrorMask(onError);
  const seen = new Set<string>();
  const turns: UiMessage[][] = [];
  for await (const turn of threads.turns(id)) {
    const { prompts, answers } = partedLog(turn.messages);
    const parts = partsOf(answers);
    const ids = promptIds(turn.number, [...prompts, ...parts.flatMap(({ pushed }) => pushed)], seen);
    const said = (messages: readonly AgenticMessage[]): UiMessage[] =>
      messages.flatMap((message) => promptMessage(message, ids.shift() ?? ""));
    const messages = said(prompts);
    let answered = 0;
    for (const [index, part] of parts.entries()) {
      messages.push(...said(part.pushed));
      const isLast = index === parts.length - 1;
      if (isLast ? hasAnswer(turn, part.answers) : part.answers.length > 0) {
        answered += 1;
        const id = answered === 1 ? `turn-${turn.number}` : `turn-${turn.number}-${answered}`;
        messages.push(answerOf(isLast ? turn : earlierPart(turn), part.answers, { mask, sendReasoning, id }));
      }
    }
    turns.push(messages);
  }
  return (last === undefined ? turns : turns.slice(-last)).flat();
}

/** A running turn is replayed; messages that were appended to a thread may have no answer. */
function hasAnswer({ status, finishReason }: Turn, answers: readonly AgenticMessage[]): boolean {
  return status !== "running" && (answers.length > 0 || status !== "done" || finishReason !== undefined);
}

function promptMessage({ role, contentBlocks }: AgenticMessage, id: string): UiMessage[] {
  const parts = contentBlocks.flatMap(inputPart);
  return parts.length === 0 ? [] : [{ id, role: role === "assistant" ? "assistant" : "user", parts }];
}

function inputPart(block: ContentBlock): UiPart[] {
  switch (block.type) {
    case "user_input_text":
    case "assistant_gen_text":
      return [{ type: "text", text: block.text }];
    case "user_input_image":
      return fileChunks(block, "image/png");
    case "user_input_audio":
      return fileChunks(block, "audio/mpeg");
    case "user_input_video":
      return fileChunks(block, "video/mp4");
    case "user_input_file":
      return fileChunks(block, "application/octet-stream").map((file) =>
        withoutUndefined({ ...file, filename: block.name }),
      );
    default:
      return [];
  }
}

/** What was answered before something was said to the turn: it neither ended nor asked anything there. */
function earlierPart(turn: Turn): Turn {
  return { ...turn, interrupts: [], results: [] };
}

interface AnswerOptions {
  readonly id: string;
  readonly mask: ErrorMask;
  readonly sendReasoning: boolean;
}

/** The answer of a turn, put together from its events, as a client does it that reads them. */
function answerOf(turn: Turn, answers: readonly AgenticMessage[], options: AnswerOptions): UiMessage {
  const { mask, sendReasoning, id } = options;
  const chunks = new UiChunks(sendReasoning);
  const parts = new MessageParts();
  const place = { runId: "", agentPath: [turn.agent], step: 0 };
  for (const [seq, { step, ...body }] of storedEvents(answers, turn).entries()) {
    const event = mask.event({ seq, ...place, step, ...body } as AgentEvent);
    for (const chunk of chunks.convert(event)) parts.add(chunk);
  }
  return { id, role: "assistant", metadata: metadataOf(turn), parts: parts.finished };
}

function metadataOf({ status, finishReason, usage }: Turn): Readonly<Record<string, unknown>> {
  const ended = status === "waiting" ? { finishReason: status, usage } : withoutUndefined({ finishReason, usage });
  return status === "done" || status === "waiting" ? ended : { ...ended, status };
}
