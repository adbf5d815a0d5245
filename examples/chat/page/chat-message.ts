import { isToolUIPart, type UIDataTypes, type UIMessage } from "ai";

/** What the server says about an answer; see `uiMessages`. */
export interface AnswerMetadata {
  readonly finishReason?: string;
  /** Set when the answer has not come to its end. */
  readonly status?: "failed" | "aborted" | "cut_off";
}

interface Table {
  readonly day: string;
  readonly people: number;
}

/** The tools of the agent, with what they take and give. */
export type ChatTools = {
  find_tables: { input: Table; output: { readonly day: string; readonly times: readonly string[] } };
  choose_time: { input: { readonly times: readonly string[] }; output: { readonly time: string } };
  book_table: { input: Table & { readonly time: string }; output: { readonly reference: string } };
};

export type ChatMessage = UIMessage<AnswerMetadata, UIDataTypes, ChatTools>;
export type ChatPart = ChatMessage["parts"][number];

/** Reads the messages of a chat from the server. */
export async function loadMessages(id: string): Promise<ChatMessage[]> {
  const response = await fetch(`/chat/${encodeURIComponent(id)}`);
  if (!response.ok) throw new Error(`The server answered with ${response.status}.`);
  return response.json();
}

/** How an answer ended that has not come to its end. An answer that went on after that has another `finishReason`. */
export function brokenStatus(message: ChatMessage | undefined): AnswerMetadata["status"] {
  const { status, finishReason } = message?.metadata ?? {};
  if (finishReason === "cut_off") return finishReason;
  return finishReason === undefined ? status : undefined;
}

/** Whether all questions of an answer that waits are answered: then useChat sends them. */
export function isAnswered({ messages }: { readonly messages: readonly ChatMessage[] }): boolean {
  const last = messages.at(-1);
  if (last?.metadata?.finishReason !== "waiting") return false;
  const step = last.parts.slice(last.parts.findLastIndex(({ type }) => type === "step-start"));
  const calls = step.filter(isToolUIPart);
  return calls.length > 0 && calls.every(({ state }) => state !== "approval-requested" && state !== "input-available");
}
