import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { JsonSchema } from "../schema/standard-schema.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { ToolInfo } from "../schema/tool-info.js";
import type { NodeContext } from "./context.js";

/** The call options that most chat models have. A model may extend or replace them. */
export interface ModelOptions {
  /** The model's name at its provider, if the component serves several. */
  readonly model?: string | undefined;
  /** How random the answer is: 0 is the least. */
  readonly temperature?: number | undefined;
  /** Samples only from the most likely tokens, up to this total probability. */
  readonly topP?: number | undefined;
  /** Samples only from this many of the most likely tokens. */
  readonly topK?: number | undefined;
  /** The most tokens that the answer may have. */
  readonly maxOutputTokens?: number | undefined;
  /** The answer ends before any of these strings. */
  readonly stop?: readonly string[] | undefined;
  /** Makes answers repeatable, where the provider supports it. */
  readonly seed?: number | undefined;
  /** Makes tokens that have occurred less likely. */
  readonly presencePenalty?: number | undefined;
  /** Makes tokens less likely the more often they have occurred. */
  readonly frequencyPenalty?: number | undefined;
  /** The form of the answer. @default text */
  readonly responseFormat?: ResponseFormat | undefined;
  /** How much the model should reason before it answers. */
  readonly reasoning?: ReasoningEffort | undefined;
  /** HTTP headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Options of a single provider, by its name: `{ openai: { serviceTier: "flex" } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /** The tools that the model can call: `toolsNode.infos`. */
  readonly tools?: readonly ToolInfo[] | undefined;
  /** Whether the model may, must or must not call tools. @default "auto" */
  readonly toolChoice?: ToolChoice | undefined;
}

/** Whether the model may, must or must not call tools, or which ones it may choose from. */
export type ToolChoice = "auto" | "required" | "none" | { readonly toolNames: readonly string[] };

/** Free text, or JSON: in any form, or in the form of a JSON Schema. */
export type ResponseFormat =
  | {
      /** Free text. */
      readonly type: "text";
    }
  | {
      /** JSON, in any form or in that of the `schema`. */
      readonly type: "json";
      readonly schema?: JsonSchema | undefined;
      /** A description of the schema for the model. */
      readonly name?: string | undefined;
      readonly description?: string | undefined;
    };

/** How much a model should reason before it answers. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** The context of a model: everything that it receives besides the messages. `ctx.options` are its merged call options. */
export type ModelContext<Options = ModelOptions> = NodeContext<unknown, Options>;

/**
 * A chat model with both methods, as everything that takes a model calls it. To make your own, one is enough: see {@link CustomModel}.
 *
 * @example
 * const echo: AgenticModel = {
 *   component: "model",
 *   type: "Echo",
 *   generate: async (messages) => assistantMessage(messages.map(textOf).join("\n")),
 *   async *stream(messages) {
 *     for (const message of messages) yield assistantMessage(textOf(message));
 *   },
 * };
 */
export interface AgenticModel<Options = ModelOptions> {
  readonly component: "model";
  /** The type of the model for traces: `RunInfo.type`. */
  readonly type?: string | undefined;
  /** Answers with a whole message. */
  generate(messages: readonly AgenticMessage[], ctx: ModelContext<Options>): Promise<AgenticMessage>;
  /** Yields chunks for `concatMessages`: either all blocks of a chunk have `streamingMeta.index`, or none has. */
  stream(messages: readonly AgenticMessage[], ctx: ModelContext<Options>): StreamSource<AgenticMessage>;
}

/**
 * A chat model of your own: a node with `generate`, `stream`, or both. Where the other method is called, it is derived: a stream is
 * joined, and a whole message is the only chunk.
 *
 * @example
 * const echo: CustomModel = {
 *   component: "model",
 *   generate: async (messages) => assistantMessage(messages.map(textOf).join("\n")),
 * };
 */
export type CustomModel<Options = ModelOptions> =
  | Pick<AgenticModel<Options>, "component" | "type" | "generate">
  | Pick<AgenticModel<Options>, "component" | "type" | "stream">;
