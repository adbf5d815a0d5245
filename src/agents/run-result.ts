import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { textOf, toolCallsOf } from "../schema/message/read-message.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { type AgentParts, outputToolName } from "./agent-parts.js";
import type { AgentResult } from "./agent-result.js";
import { type AgentState, noUsage } from "./agent-state.js";
import { noOutput } from "./errors.js";

/** The parts of a result. */
export interface ResultSource {
  readonly root: AgentParts;
  readonly state: AgentState;
  readonly asked: { readonly checkpointId?: string | undefined; readonly threadId?: string | undefined };
}

/** The outcome of a turn: its end, or the questions that it waits for. */
export function resultOf(
  { root, state, asked }: ResultSource,
  interrupts: readonly Interrupt[] | undefined,
): AgentResult<unknown> | Promise<AgentResult<unknown>> {
  const finishReason = interrupts === undefined ? (state.end ?? "stop") : "waiting";
  const text = interrupts === undefined ? state.text : textOf(state.steps.at(-1)?.message ?? noAnswer);
  const fields = withoutUndefined({
    text,
    messages: [...state.log],
    steps: state.steps.map((step) => ({ ...step })),
    usage: state.usage,
    usageByModel: { ...state.usageByModel },
    agent: state.active,
    checkpointId: asked.checkpointId,
    threadId: asked.threadId,
    finishReason,
    interrupts: interrupts ?? [],
    blocked: state.blocked,
  } as const);
  if (interrupts !== undefined) return withOutput(fields, { missing: "it waits for answers" });
  return withReadOutput(root, fields, state.output);
}

function withReadOutput(
  root: AgentParts,
  fields: Pick<AgentResult<unknown>, "finishReason" | "text">,
  accepted: string | undefined,
): AgentResult<unknown> | Promise<AgentResult<unknown>> {
  const { output } = root;
  if (output === undefined) return withOutput(fields, { value: fields.text });
  if (accepted !== undefined) return readAgain(root, output, fields, accepted);
  return withOutput(fields, { missing: `it ended with "${fields.finishReason}" before the model gave one` });
}

async function readAgain(
  root: AgentParts,
  output: NonNullable<AgentParts["output"]>,
  fields: object,
  accepted: string,
): Promise<AgentResult<unknown>> {
  const { readAccepted } = await import("./structured-output.js");
  const read = await readAccepted(output, root, accepted);
  const missing = "it does not fit its schema any more";
  return withOutput(fields, read.issues === undefined ? { value: read.value } : { missing });
}

/** Of a child run that had ended before its caller was entered again: only its answer is left. */
export function resultOfAnswer(
  root: AgentParts,
  prompt: readonly AgenticMessage[],
  answer: AgenticMessage,
): AgentResult<unknown> | Promise<AgentResult<unknown>> {
  const call = toolCallsOf(answer).find(({ name }) => name.startsWith(outputToolName));
  const text = call?.arguments ?? textOf(answer);
  const fields = {
    text,
    messages: [...prompt, answer],
    steps: [],
    usage: noUsage,
    usageByModel: {},
    agent: root.name,
    finishReason: "stop",
    interrupts: [],
  } as const;
  return withReadOutput(root, fields, text);
}

const noAnswer: AgenticMessage = { role: "assistant", contentBlocks: [] };

type Output = { readonly value: unknown } | { readonly missing: string };

/** `output` is off the own properties: spreading a result, or writing it as JSON, never throws. */
function withOutput(fields: object, output: Output): AgentResult<unknown> {
  return new RunResult(fields, output) as RunResult & AgentResult<unknown>;
}

class RunResult {
  readonly #output: Output;

  constructor(fields: object, output: Output) {
    Object.assign(this, fields);
    this.#output = output;
  }

  get output(): unknown {
    if ("missing" in this.#output) throw noOutput(this.#output.missing);
    return this.#output.value;
  }
}
