import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import type { AgenticMessage, FinishReason, TokenUsage } from "../schema/message/agentic-message.js";
import type { GuardedPart } from "./guards/guarded-part.js";

/** Why a run of an agent ended. */
export type EndReason = "stop" | "length" | "content_filter" | "returned" | "stop_when" | "max_steps" | "other";

/** Why a run of an agent ended, or `"waiting"`: it waits for answers. */
export type AgentFinishReason = EndReason | "waiting";

/** What a guard has blocked. Not for clients: the reason may quote it. */
export interface BlockedPart {
  /** The name of the guard. */
  readonly guard: string;
  /** Why, in the words of the guard. */
  readonly reason: string;
  /** What it has blocked: `"input"` or `"output"`. */
  readonly on: GuardedPart;
}

/** One accepted answer of a model, and the results of its calls. */
export interface AgentStep {
  /** The message that the model wrote. */
  readonly message: AgenticMessage;
  /** One message per call, in call order. */
  readonly results: readonly AgenticMessage[];
  /** The tokens of this step, of all attempts. */
  readonly usage: TokenUsage;
  /** Why the model stopped writing. */
  readonly finishReason: FinishReason;
  /** `provider/model`, if the model reports it. */
  readonly model: string;
  /** The agent that answered. */
  readonly agent: string;
}

/** @internal */
interface ResultFields<Output> {
  /** The answer; with an output schema the accepted JSON, with `returnDirectly` the result of the tool. */
  readonly text: string;
  /** The value of the output schema, or else `text`. Reading it throws `NO_OUTPUT` if there is none. */
  readonly output: Output;
  /** This turn: the prompt first, then everything that was logged, including before a resume. */
  readonly messages: readonly AgenticMessage[];
  /** The accepted answers of this turn, with the results of their calls. */
  readonly steps: readonly AgentStep[];
  /** The usage of every model call, each counted once, including repairs, summaries and inner agents. */
  readonly usage: TokenUsage;
  /** The same by `provider/model`. */
  readonly usageByModel: Readonly<Record<string, TokenUsage>>;
  /** The agent that answered last. */
  readonly agent: string;
  /** The id under which the run is saved, if it is. */
  readonly checkpointId?: string | undefined;
  /** The thread of the call, if it had one. */
  readonly threadId?: string | undefined;
  /** What has ended the turn, if a guard has. */
  readonly blocked?: BlockedPart | undefined;
}

/**
 * The result of a run of an agent: an end, or questions that wait for answers.
 *
 * @example
 * const result = await agent.generate("Book it", { threadId: "u-1" });
 * if (result.finishReason === "waiting") console.log(result.interrupts[0].info);
 * else console.log(result.text, result.usage.totalTokens);
 */
export type AgentResult<Output = string> = ResultFields<Output> &
  (
    | {
        /** Why the run ended; `"waiting"` if it waits for answers. */
        readonly finishReason: "waiting";
        /** The open questions; empty unless the run waits. */
        readonly interrupts: readonly [Interrupt, ...Interrupt[]];
      }
    | { readonly finishReason: EndReason; readonly interrupts: readonly [] }
  );
