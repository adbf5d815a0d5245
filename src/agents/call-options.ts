import type { ForkOptions } from "../checkpoint/history/history-entry.js";
import type { ModelOptions } from "../components/model.js";
import type { RunOptions } from "../compose/options.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";

/** The call options of a model that an agent does not set itself. */
export type AgentModelOptions = Omit<ModelOptions, "tools" | "responseFormat"> & {
  /** Not possible here: the agent passes its own tools. */
  readonly tools?: undefined;
  /** Not possible here: the option `output` of the agent sets it. */
  readonly responseFormat?: undefined;
};

/** A message as it can appear in a prompt. */
export type PromptMessage =
  | AgenticMessage
  | { readonly role: "system" | "user" | "assistant"; readonly content: string };

/**
 * The prompt of an agent. An empty array continues a thread.
 *
 * @example
 * await agent.generate([
 *   { role: "user", content: "I live in Kyoto." },
 *   { role: "assistant", content: "A beautiful city." },
 *   { role: "user", content: "How is the weather there?" },
 * ]);
 */
export type Prompt = string | PromptMessage | readonly PromptMessage[];

/**
 * Options for one call of an agent.
 *
 * @example
 * await agent.generate("Weather in Kyoto?", {
 *   threadId: "u-1",
 *   onBusy: "wait",
 *   signal: AbortSignal.timeout(30_000),
 *   modelOptions: { temperature: 0 },
 * });
 */
export interface AgentCallOptions extends RunOptions {
  /** The conversation that this turn belongs to. Requires a store. */
  readonly threadId?: string | undefined;
  /**
   * Who asks. The thread belongs to the user of its first turn, and to others it does not exist; functions of the agent get it as
   * `userId`, and agents inside it too. Left out, all threads can be reached; a present `undefined` is an error.
   */
  readonly userId?: string;
  /** If the thread waits for answers: throw, or do not execute its open calls. @default "throw" */
  readonly onWaiting?: "throw" | "close" | undefined;
  /** If another turn of the thread is in progress: throw, or wait for it. @default "throw" */
  readonly onBusy?: "throw" | "wait" | undefined;
  /** Call options for the model, merged over those of the agent. */
  readonly modelOptions?: AgentModelOptions | undefined;
  /** How many answers of the model this turn may have. @default `maxSteps` of the agent */
  readonly maxSteps?: number | undefined;
  /**
   * A name for this turn of a thread, such as the id of the client's message: a second call with it begins no second turn. If the
   * turn has ended, it returns its result, or its events; if the turn has failed or was cut off, it continues.
   */
  readonly requestId?: string | undefined;
  /** The id of a message of the thread, as `uiMessages` has it: this turn replaces that message's turn and all later ones. */
  readonly replaces?: string | undefined;
}

/** Options for a resume of an agent. */
export type AgentResumeOptions = Omit<
  AgentCallOptions,
  "parent" | "key" | "checkpointId" | "threadId" | "onWaiting" | "onBusy" | "forceNewRun" | "requestId" | "replaces"
>;

/** The run to resume: a checkpoint id, a thread, or a waiting result. */
export type ResumeTarget =
  | string
  | {
      /** The thread whose newest turn is resumed. */
      readonly threadId?: string | undefined;
      /** The id of a run. */
      readonly checkpointId?: string | undefined;
    };

/** Options of `agent.fork`. */
export interface AgentForkOptions extends ForkOptions {
  /** The turn of a thread, by its number. @default the newest */
  readonly turn?: number | undefined;
}

/** A copy of a run, for `resume`. */
export interface AgentFork {
  /** The id under which the copy is saved. */
  readonly checkpointId: string;
  /** Of a copy that has the turns before it. */
  readonly threadId?: string | undefined;
}
