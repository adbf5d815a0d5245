import type {
  AgentCallOptions,
  AgentModelOptions,
  AgentResumeOptions,
  PromptMessage,
} from "../../agents/call-options.js";
import type { ModelOptions } from "../../components/model.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { RequestOptions } from "../call-values.js";
import type { MastraAgentResult, MastraAgentStep } from "./agent-result.js";

/** The call options of a model, under the names of Mastra. */
export interface MastraModelSettings
  extends Omit<AgentModelOptions, "stop" | "tools" | "responseFormat" | "toolChoice" | "providerOptions"> {
  /** The answer ends before any of these strings. */
  readonly stopSequences?: readonly string[] | undefined;
}

/** Whether the model may, must or must not call tools, or which one it must call. */
export type MastraToolChoice = ModelOptions["toolChoice"] | { readonly type: "tool"; readonly toolName: string };

/** Whose conversation a call belongs to, and which one. */
export interface MastraCallMemory {
  /** The user: the same as `userId`. A present `undefined` is an error. */
  readonly resource?: string;
  /** The thread, or its id; with a title or metadata, these are added to the metadata of the thread. */
  readonly thread:
    | string
    | {
        readonly id: string;
        readonly title?: string | undefined;
        readonly metadata?: Readonly<Record<string, unknown>> | undefined;
      };
}

/** The options that every call of an agent has. */
export interface SharedCallOptions extends RequestOptions {
  /** Stops the run; it then rejects with the signal's reason. */
  readonly abortSignal?: AbortSignal | undefined;
  /** Call options of the model, such as `temperature`. */
  readonly modelSettings?: MastraModelSettings | undefined;
  /** Options of a single provider, by its name. */
  readonly providerOptions?: ModelOptions["providerOptions"];
  /** Whether the model may, must or must not call tools. @default "auto" */
  readonly toolChoice?: MastraToolChoice | undefined;
  /** The answer must fit this schema; it is the `object` of the result. */
  readonly structuredOutput?: { readonly schema: AnyStandardSchema | JsonSchema } | undefined;
  /** Whether every tool call needs approval. @default what the agent and its tools require */
  readonly requireToolApproval?: boolean | undefined;
  /** Called after each step. */
  readonly onStepFinish?: ((step: MastraAgentStep & { readonly runId: string }) => unknown) | undefined;
  /** Called with the result of a run that has ended. */
  readonly onFinish?: ((result: MastraAgentResult<never>) => unknown) | undefined;
  /** Called if the run fails. */
  readonly onError?: ((event: { readonly error: Error }) => unknown) | undefined;
}

/** Options of `generate` and `stream`. Some have two names: the current one and the older one of Mastra. */
export interface MastraCallOptions extends Omit<AgentCallOptions, "requestContext">, SharedCallOptions {
  /** The user and the thread. */
  readonly memory?: MastraCallMemory | undefined;
  /** The id of the run. @default a new one */
  readonly runId?: string | undefined;
}

/** Options of `resume` and `resumeStream`. */
export interface MastraResumeOptions extends Omit<AgentResumeOptions, "requestContext">, SharedCallOptions {}

/** Which run to go on with, and which of its calls, if several wait. */
export interface MastraRunTarget {
  /** The `runId` of a suspended result or stream. */
  readonly runId: string;
  /** The id of the call. */
  readonly toolCallId?: string | undefined;
}

/** A message whose content is a string or text parts. @internal */
export interface PartsMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly { readonly type: "text"; readonly text: string }[];
}

/** The prompt of an agent: a string, a message, or an array of them. */
export type MastraPrompt = string | PromptMessage | PartsMessage | readonly (string | PromptMessage | PartsMessage)[];
