import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import type { ToolOutput } from "../components/tool.js";
import { KumikoError, messageOf } from "../errors.js";
import type { AgenticMessage, FinishReason, TokenUsage } from "../schema/message/agentic-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import type { AgentFinishReason } from "./agent-result.js";
import type { GuardedPart } from "./guards/guarded-part.js";

/** The position of an event. */
export interface EventPlace {
  /** The number of the event in its stream, starting at 0, without gaps. */
  readonly seq: number;
  /** The id of the agent's run: it distinguishes parallel runs of one agent. */
  readonly runId: string;
  /** The tool call for which an inner agent runs. */
  readonly parentCallId?: string | undefined;
  /** The agents that lead here, starting with the called one. Inner agents have longer paths. */
  readonly agentPath: readonly string[];
  /** The step that the event belongs to, starting at 1; 0 before the first step. */
  readonly step: number;
}

/** Why an answer that was being streamed is void and starts again. */
export type RestartReason = "retry" | "fallback" | "repair" | "guard";

/** The content of an event, without its position. */
export type AgentEventBody =
  | {
      /** The run begins. Says in which thread, under which id it is saved, and which questions it was resumed with answers for. */
      readonly type: "start";
      readonly threadId?: string | undefined;
      readonly checkpointId?: string | undefined;
      readonly answered?: readonly Interrupt[] | undefined;
    }
  | {
      /** A step begins: the model is about to be asked. */
      readonly type: "step_start";
    }
  | {
      /** A piece of the text of the block with this `index`. */
      readonly type: "text_delta";
      readonly delta: string;
      readonly index: number;
    }
  | {
      /** A piece of the reasoning of the block with this `index`. */
      readonly type: "reasoning_delta";
      readonly delta: string;
      readonly index: number;
    }
  | {
      /** A complete block of the answer that is neither text, reasoning nor a function call, such as an image. */
      readonly type: "block";
      readonly block: ContentBlock;
    }
  | {
      /** The model begins to write a tool call. Its arguments follow as `tool_call_delta`. */
      readonly type: "tool_call_start";
      readonly callId: string;
      readonly name: string;
    }
  | {
      /** A piece of the arguments of a call, as JSON text. */
      readonly type: "tool_call_delta";
      readonly callId: string;
      readonly delta: string;
    }
  | {
      /** The parsed, final call. */
      readonly type: "tool_call";
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      /** A chunk of the output of a streaming tool. */
      readonly type: "tool_output_delta";
      readonly callId: string;
      readonly delta: ToolOutput;
    }
  | {
      /** A value that a running tool reported with `ctx.progress`. */
      readonly type: "tool_progress";
      readonly callId: string;
      readonly value: unknown;
    }
  | {
      /** The result of a call, as the model reads it. */
      readonly type: "tool_result";
      readonly callId: string;
      readonly name: string;
      readonly message: AgenticMessage;
    }
  | {
      /** Voids the part of this step's answer that was streamed. */
      readonly type: "restart";
      readonly reason: RestartReason;
    }
  | {
      /** The answer of the step, as it is logged. */
      readonly type: "message";
      readonly message: AgenticMessage;
    }
  | {
      /** The answer of the step and its tool calls are done. */
      readonly type: "step_finish";
      readonly usage: TokenUsage;
      readonly finishReason: FinishReason;
      readonly model: string;
    }
  | {
      /** A guard has blocked what the user said, what the model answered, or a call of a tool. */
      readonly type: "blocked";
      readonly guard: string;
      readonly on: GuardedPart;
    }
  | {
      /** The turn takes what was said to it with `threads.push`: the model reads it next. */
      readonly type: "pushed";
      readonly messages: readonly AgenticMessage[];
    }
  | {
      /** Another agent takes over the conversation. */
      readonly type: "handoff";
      readonly from: string;
      readonly to: string;
    }
  | {
      /** A question is open. When nothing else can run, the run ends with `finishReason: "waiting"`. */
      readonly type: "interrupt";
      readonly interrupt: Interrupt;
    }
  | {
      /** The last event of a run that failed. */
      readonly type: "error";
      readonly error: EventError;
    }
  | {
      /** The last event of a run that did not fail: why it ended, and its tokens. */
      readonly type: "finish";
      readonly finishReason: AgentFinishReason;
      readonly usage: TokenUsage;
      readonly checkpointId?: string | undefined;
    };

/** An error as it appears in an event. An abort has the code `ABORTED`. */
export interface EventError {
  /** The code of a `KumikoError`; missing for other errors. */
  readonly code?: string | undefined;
  /** The name of the error's class. */
  readonly name: string;
  /** The message of the error. */
  readonly message: string;
}

/**
 * The events of a run of an agent, as plain JSON; each also has the fields of {@link EventPlace}. The last event is `finish`
 * or `error`.
 *
 * @example
 * for await (const event of agent.stream("Weather in Kyoto?")) {
 *   if (event.type === "text_delta") console.log(event.delta);
 * }
 */
export type AgentEvent = EventPlace & AgentEventBody;

/** An error as an event carries it: plain JSON. */
export function errorEvent(error: unknown): EventError {
  const name = error instanceof Error ? error.name : "Error";
  const message = messageOf(error);
  return KumikoError.is(error) ? { code: error.code, name, message } : { name, message };
}
