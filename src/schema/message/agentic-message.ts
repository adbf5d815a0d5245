import type { ContentBlock } from "./content-block.js";
import type { ClaudeResponseExtension, GeminiResponseExtension, OpenAIResponseExtension } from "./vendor-extension.js";

/** Who a message is from. */
export type AgenticRole = "system" | "user" | "assistant";

/**
 * The tokens that a response used. Of several chunks the largest number counts, because providers send running totals. What a
 * provider does not report is absent, never 0.
 */
export interface TokenUsage {
  /** All prompt tokens, including those read from or written to a cache. */
  readonly promptTokens: number;
  /** All completion tokens, including reasoning. */
  readonly completionTokens: number;
  /** All tokens. */
  readonly totalTokens: number;
  /** Completion tokens used for reasoning. */
  readonly reasoningTokens?: number | undefined;
  /** Prompt tokens that were read from a cache. */
  readonly cachedTokens?: number | undefined;
  /** Prompt tokens that were written to a cache. */
  readonly cacheWriteTokens?: number | undefined;
}

/** Why a model stopped, the same for all providers. With `"tool_calls"` it waits for the results of its calls. */
export type FinishReason = "stop" | "length" | "content_filter" | "tool_calls" | "error" | "other" | (string & {});

/** The metadata of a whole response, as the provider reports it. It has at most one of the four extensions. */
export interface ResponseMeta {
  /** The tokens of the request and the answer. */
  readonly tokenUsage?: TokenUsage | undefined;
  /** Why the model stopped, the same for all providers. */
  readonly finishReason?: FinishReason | undefined;
  /** Why the model stopped, as the provider reports it. */
  readonly rawFinishReason?: string | undefined;
  /** The model that answered, as `provider/model`. Prices and usage are listed by it. */
  readonly model?: string | undefined;
  /** Fields that only OpenAI reports. */
  readonly openaiExtension?: OpenAIResponseExtension | undefined;
  /** Fields that only Gemini reports. */
  readonly geminiExtension?: GeminiResponseExtension | undefined;
  /** Fields that only Claude reports. */
  readonly claudeExtension?: ClaudeResponseExtension | undefined;
  /** Data of any other provider. */
  readonly extension?: unknown;
}

/**
 * A message: a role and an ordered list of content blocks. Plain JSON. The chunks of a streamed message have the same type.
 *
 * @example
 * const message: AgenticMessage = { role: "user", contentBlocks: [{ type: "user_input_text", text: "Hello" }] };
 */
export interface AgenticMessage {
  /** Which message it is, for programs and user interfaces: the provider's id of an answer, or one of yours. Models never see it. */
  readonly id?: string | undefined;
  /** Who speaks: tool results are in messages of the role `"user"`. */
  readonly role: AgenticRole;
  /** The pieces of the message, in order. */
  readonly contentBlocks: readonly ContentBlock[];
  /** The provider's data about the response; only in answers of models. */
  readonly responseMeta?: ResponseMeta | undefined;
  /** Data of your own or of a provider; models do not see it. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** Only in chunks: the answer starts over here. Concatenation drops the chunks before this one. */
  readonly restart?: boolean | undefined;
}

/** Whether a value has the shape of a message: a role, and blocks with a `type`. Other fields of blocks are not checked. */
export function isAgenticMessage(value: unknown): value is AgenticMessage {
  if (typeof value !== "object" || value === null) return false;
  const { role, contentBlocks } = value as { role?: unknown; contentBlocks?: unknown };
  return (
    (role === "assistant" || role === "user" || role === "system") &&
    Array.isArray(contentBlocks) &&
    contentBlocks.every(hasType)
  );
}

/** Whether a value is a list of what {@link isAgenticMessage} takes. */
export function areMessages(value: unknown): value is readonly AgenticMessage[] {
  return Array.isArray(value) && value.every(isAgenticMessage);
}

function hasType(block: unknown): boolean {
  return typeof block === "object" && block !== null && typeof (block as { type?: unknown }).type === "string";
}
