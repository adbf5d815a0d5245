import type { AgentCallOptions, AgentResumeOptions, PromptMessage } from "../../agents/call-options.js";
import type { RequestOptions } from "../call-values.js";

/** Options of `generate` and `stream`. Some have two names: the current one and the older one of Mastra. */
export interface MastraCallOptions extends Omit<AgentCallOptions, "requestContext">, RequestOptions {
  /** Stops the run; it then rejects with the signal's reason. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options of `resume` and `resumeStream`. */
export interface MastraResumeOptions extends Omit<AgentResumeOptions, "requestContext">, RequestOptions {
  /** Stops the run; it then rejects with the signal's reason. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** A message whose content is a string or text parts. @internal */
export interface PartsMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly { readonly type: "text"; readonly text: string }[];
}

/** The prompt of an agent: a string, a message, or an array of them. */
export type MastraPrompt = string | PromptMessage | PartsMessage | readonly (string | PromptMessage | PartsMessage)[];
