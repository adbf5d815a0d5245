import type { AgentCallOptions, AgentResumeOptions, PromptMessage } from "../../agents/call-options.js";
import type { RequestOptions } from "../call-values.js";

/** The options of one call, under both of their names. */
export interface MastraCallOptions extends Omit<AgentCallOptions, "requestContext">, RequestOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options for resuming a run of an agent. */
export interface MastraResumeOptions extends Omit<AgentResumeOptions, "requestContext">, RequestOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

/** A message with its content as a text or as parts of one. */
export interface PartsMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly { readonly type: "text"; readonly text: string }[];
}

/** What an agent is asked. */
export type MastraPrompt = string | PromptMessage | PartsMessage | readonly (string | PromptMessage | PartsMessage)[];
