import { outputToolName } from "../../agents/agent-parts.js";
import type { AgentResult, AgentStep } from "../../agents/agent-result.js";
import { isToolApproval, isToolSuspended } from "../../agents/interrupt-kinds.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { promptOf } from "../../models/ai-sdk/prompt.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { reasoningOf, textOf } from "../../schema/message/read-message.js";
import type { Untyped } from "../untyped.js";
import { type MastraFinishReason, mastraReason, type ToolCallChunk, type ToolResultChunk } from "./chunk.js";
import { callsOfStep } from "./read-call.js";
import { type MastraUsage, mastraUsage } from "./usage.js";

/** The last response of the model, and what the run has added to the conversation. */
export interface MastraResponse {
  /** The model that answered last, without its provider. */
  readonly modelId?: string | undefined;
  /** The messages of the run after its prompt, in the format of the AI SDK. */
  readonly messages: readonly {
    readonly role: "system" | "user" | "assistant" | "tool";
    readonly content: Untyped;
  }[];
}

/** A step of a result, with the names of Mastra. */
export interface MastraAgentStep extends Omit<AgentStep, "usage" | "finishReason"> {
  /** Whether it is the first step. */
  readonly stepType: "initial" | "tool-result";
  /** The text of the step. */
  readonly text: string;
  /** The reasoning of the step, if there was any. */
  readonly reasoningText: string | undefined;
  /** The calls of the step. */
  readonly toolCalls: readonly ToolCallChunk[];
  /** The results of the calls that succeeded. */
  readonly toolResults: readonly ToolResultChunk[];
  /** The tokens of the step. */
  readonly usage: MastraUsage;
  /** Why the model stopped writing. */
  readonly finishReason: MastraFinishReason;
  /** The messages of the step. */
  readonly response: MastraResponse;
}

/** Why a guard has stopped a run. */
export interface MastraTripwire {
  /** Why the guard has stopped the run. */
  readonly reason: string;
  /** The name of the guard. */
  readonly processorId?: string | undefined;
}

/** The result of an agent, with the names of Mastra and those of this package. */
export interface MastraAgentResult<Output = string>
  extends Omit<AgentResult<Output>, "steps" | "usage" | "finishReason" | "interrupts"> {
  /** The id of the run: for `approveToolCall`, `declineToolCall` and `resume`. */
  readonly runId: string;
  /** The text of all steps. */
  readonly text: string;
  /** The value of the output schema; `undefined` without one. */
  readonly object: Output extends string ? Untyped : Output;
  /** The calls of all steps. */
  readonly toolCalls: readonly ToolCallChunk[];
  /** The results of the calls that succeeded. */
  readonly toolResults: readonly ToolResultChunk[];
  /** The steps. */
  readonly steps: readonly MastraAgentStep[];
  /** The tokens of all steps. */
  readonly usage: MastraUsage;
  /** The same as `usage`. */
  readonly totalUsage: MastraUsage;
  /** Why the run ended; `"suspended"` if it waits for answers. */
  readonly finishReason: MastraFinishReason;
  /** The reasoning of all steps, if there was any. */
  readonly reasoningText: string | undefined;
  /** The last response, with the new messages. */
  readonly response: MastraResponse;
  /** `undefined`: a run that fails rejects. */
  readonly error: undefined;
  /** Set if a guard has stopped the run. */
  readonly tripwire: MastraTripwire | undefined;
  /** What a suspended run waits for first: the call, and the payload that it was suspended with. */
  readonly suspendPayload: Untyped;
  /** The JSON Schema of the answer to it, as text. */
  readonly resumeSchema: string | undefined;
  /** The open questions. */
  readonly interrupts: readonly Interrupt[];
}

/** What a result is made for. */
export interface ResultSettings {
  readonly runId: string;
  /** Whether the agent has an output schema. */
  readonly hasOutput: boolean;
}

/** A result under the names of Mastra. Reading `output` throws if there is none, as in `kumiko/agents`. */
export function mastraResult(result: AgentResult<unknown>, settings: ResultSettings): MastraAgentResult<unknown> {
  const { runId, hasOutput } = settings;
  const steps = result.steps.map((step, index) => mastraStep(step, index, settings));
  const { interrupts, usage, text } = result;
  const { blocked } = result as { readonly blocked?: { readonly reason: string; readonly guard: string } };
  const waits = questionOf(interrupts[0]);
  const fields = {
    ...result,
    runId,
    text: isText(result, hasOutput) ? steps.map((step) => step.text).join("") : text,
    object: hasOutput && interrupts.length === 0 ? objectOf(result) : undefined,
    toolCalls: steps.flatMap((step) => step.toolCalls),
    toolResults: steps.flatMap((step) => step.toolResults),
    steps,
    usage: mastraUsage(usage),
    totalUsage: mastraUsage(usage),
    finishReason: mastraReason(result.finishReason),
    reasoningText: steps.map(({ reasoningText = "" }) => reasoningText).join("") || undefined,
    response: responseOf(newMessages(result), result.steps.at(-1)),
    error: undefined,
    tripwire: blocked && { reason: blocked.reason, processorId: blocked.guard },
    suspendPayload: waits?.payload,
    resumeSchema: waits?.resumeSchema,
  };
  return new NamedResult(fields, result) as NamedResult & MastraAgentResult<unknown>;
}

/** `output` is off the own properties: spreading a result, or writing it as JSON, never throws. */
class NamedResult {
  readonly #result: AgentResult<unknown>;

  constructor(fields: object, result: AgentResult<unknown>) {
    const { output: _, ...own } = fields as { readonly output?: unknown };
    Object.assign(this, own);
    this.#result = result;
  }

  get output(): unknown {
    return this.#result.output;
  }
}

/** Whether the text is what the steps have written, and neither an object nor what a tool returned. */
function isText({ finishReason, steps }: AgentResult<unknown>, hasOutput: boolean): boolean {
  return !hasOutput && finishReason !== "returned" && steps.length > 0;
}

function objectOf(result: AgentResult<unknown>): unknown {
  try {
    return result.output;
  } catch {
    return undefined;
  }
}

/** A step under the names of Mastra. */
export function mastraStep(step: AgentStep, index: number, { runId, hasOutput }: ResultSettings): MastraAgentStep {
  const { message, results } = step;
  const isOutput = (name: string): boolean => hasOutput && name.startsWith(outputToolName);
  return {
    ...step,
    ...callsOfStep(step, runId, isOutput),
    stepType: index === 0 ? "initial" : "tool-result",
    text: textOf(message),
    reasoningText: reasoningOf(message) || undefined,
    usage: mastraUsage(step.usage),
    finishReason: mastraReason(step.finishReason),
    response: responseOf([message, ...results], step),
  };
}

/** What a run has added to the conversation: everything from its first answer on. */
function newMessages({ messages, steps }: AgentResult<unknown>): readonly AgenticMessage[] {
  const [first] = steps;
  if (first === undefined) return [];
  const known = messages.indexOf(first.message);
  return messages.slice(known === -1 ? messages.findIndex(({ role }) => role === "assistant") : known);
}

function responseOf(messages: readonly AgenticMessage[], step: AgentStep | undefined): MastraResponse {
  const [provider = "", ...names] = (step?.model ?? "").split("/");
  return {
    modelId: names.length === 0 ? undefined : names.join("/"),
    messages: promptOf(messages, { provider, version: "v3" }) as MastraResponse["messages"],
  };
}

/** The first open question as Mastra tells it. */
export function questionOf(
  interrupt: Interrupt | undefined,
): { readonly payload: Untyped; readonly resumeSchema: string | undefined } | undefined {
  if (interrupt === undefined) return undefined;
  const resumeSchema = interrupt.schema === undefined ? undefined : JSON.stringify(interrupt.schema);
  if (isToolApproval(interrupt)) {
    const { toolCallId, toolName, input } = interrupt.info;
    return { payload: { toolCallId, toolName, args: input, resumeSchema }, resumeSchema };
  }
  if (isToolSuspended(interrupt)) {
    const { toolCallId, toolName, payload } = interrupt.info;
    return { payload: { toolCallId, toolName, suspendPayload: payload, resumeSchema }, resumeSchema };
  }
  return { payload: interrupt.info, resumeSchema };
}
