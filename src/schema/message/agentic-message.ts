import type { ContentBlock } from "./content-block.js";
import type { ClaudeResponseExtension, GeminiResponseExtension, OpenAIResponseExtension } from "./vendor-extension.js";

export type AgenticRole = "system" | "user" | "assistant";

/**
 * What a response cost. In chunks, the larger number counts: providers send running totals. What a provider does not
 * report is absent, never 0.
 */
export interface TokenUsage {
  /** With what was read from a cache, and what was written to one. */
  readonly promptTokens: number;
  /** With reasoning. */
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens?: number | undefined;
  /** Prompt tokens that were read from a cache. */
  readonly cachedTokens?: number | undefined;
  /** Prompt tokens that were written to a cache. */
  readonly cacheWriteTokens?: number | undefined;
}

/** Why a model stopped, in one word for all providers. `"tool_calls"`: it waits for the results of its calls. */
export type FinishReason = "stop" | "length" | "content_filter" | "tool_calls" | "error" | "other" | (string & {});

/** What a provider reports about a whole response. At most one of the four extensions is there. */
export interface ResponseMeta {
  readonly tokenUsage?: TokenUsage | undefined;
  /** Why the model stopped, in the word that is the same for all providers. */
  readonly finishReason?: FinishReason | undefined;
  /** Why the model stopped, in the provider's word. */
  readonly rawFinishReason?: string | undefined;
  /** Which model answered, as `provider/model`: what prices and usage are listed by. */
  readonly model?: string | undefined;
  readonly openaiExtension?: OpenAIResponseExtension | undefined;
  readonly geminiExtension?: GeminiResponseExtension | undefined;
  readonly claudeExtension?: ClaudeResponseExtension | undefined;
  /** What any other provider reports. */
  readonly extension?: unknown;
}

/**
 * The one kind of message: a role and an ordered list of blocks. Plain JSON; also the chunk of a message's stream.
 *
 * @example
 * const message: AgenticMessage = { role: "user", contentBlocks: [{ type: "user_input_text", text: "Hello" }] };
 */
export interface AgenticMessage {
  /** Which message it is, for programs and user interfaces: the provider's id of an answer, or one of yours. Models never see it. */
  readonly id?: string | undefined;
  readonly role: AgenticRole;
  readonly contentBlocks: readonly ContentBlock[];
  readonly responseMeta?: ResponseMeta | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** Only in chunks: the answer begins again here, and the chunks before this one are void. Concatenation drops them. */
  readonly restart?: boolean | undefined;
}

/** Whether a value has the shape of a message: a role, and blocks that name their type. Fields of blocks are not checked. */
export function isAgenticMessage(value: unknown): value is AgenticMessage {
  if (typeof value !== "object" || value === null) return false;
  const { role, contentBlocks } = value as { role?: unknown; contentBlocks?: unknown };
  return (
    (role === "assistant" || role === "user" || role === "system") &&
    Array.isArray(contentBlocks) &&
    contentBlocks.every(namesItsType)
  );
}

function namesItsType(block: unknown): boolean {
  return typeof block === "object" && block !== null && "type" in block && typeof block.type === "string";
}
