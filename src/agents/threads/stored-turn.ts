import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { toolResultsOf } from "../../schema/message/read-message.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import type { AgentEventBody } from "../agent-event.js";
import { type AgentState, newAgentState, type StateStep } from "../agent-state.js";
import { ChunkEvents, wholeEvents } from "../chunk-events.js";
import { isPushed } from "./push.js";
import { runIdOf, type StoredResult, type StoredStep, type TurnRecord, turnKey } from "./turn-row.js";

export function storedResult({ text, output, steps, log, blocked }: AgentState): StoredResult {
  let from = 0;
  const stored = steps.map(({ message, results, ...step }): StoredStep => {
    const at = log.findIndex((logged, index) => index >= from && isSame(logged, message));
    if (at === -1) return { ...step, at, results: results.length, message };
    from = at + 1;
    return { ...step, at, results: results.length };
  });
  return withoutUndefined<StoredFields>({ text, output, steps: stored, blocked }) as StoredResult;
}

type StoredFields = { readonly [Name in keyof StoredResult]-?: StoredResult[Name] | undefined };

/** A restored log has copies of what its steps have. */
function isSame(one: AgenticMessage, other: AgenticMessage): boolean {
  return one === other || (one.role === other.role && JSON.stringify(one) === JSON.stringify(other));
}

/** The state that a turn has ended with, as far as its result needs it; `undefined` if the turn says too little. */
export function endStateOf(record: TurnRecord): AgentState | undefined {
  const { result, messages, usage, usageByModel = {}, agent, finishReason } = record;
  if (result === undefined) return undefined;
  const steps = result.steps.map(({ at, results, message = messages[at] as AgenticMessage, ...step }): StateStep => {
    return { ...step, message, results: at === -1 ? [] : messages.slice(at + 1, at + 1 + results) };
  });
  const { text, output, blocked } = result;
  const ended = { log: [...messages], steps, usage, usageByModel, text, output, blocked, end: finishReason };
  return Object.assign(newAgentState(agent), ended);
}

/** A turn that has stopped, for those who ask again: its state, and its events from start to finish. */
export function toldTurn(
  record: TurnRecord,
  threadId: string | undefined,
): {
  readonly state: AgentState;
  readonly events: readonly ToldEvent[];
  readonly interrupts: readonly Interrupt[];
  readonly checkpointId: string;
} {
  const { messages, agent, number, usage, finishReason = "stop", interrupts = [], results = [], result } = record;
  const state = endStateOf(record) ?? { ...newAgentState(agent), log: [...messages], usage, end: finishReason };
  const checkpointId = threadId === undefined ? "" : runIdOf(turnKey(threadId, number));
  const answers = storedEvents(partedLog(messages).answers, { results, interrupts, steps: result?.steps });
  const last = answers.at(-1)?.step ?? 0;
  const end =
    interrupts.length === 0 ? ({ finishReason } as const) : ({ finishReason: "waiting", checkpointId } as const);
  const events: readonly ToldEvent[] = [
    { type: "start", step: 0, ...(threadId !== undefined && { threadId, checkpointId }) },
    ...answers,
    { type: "finish", step: last, usage, ...end },
  ];
  return { state, events, interrupts, checkpointId };
}

/** A turn, as far as its events need it. */
export interface ToldTurn {
  readonly results: readonly AgenticMessage[];
  readonly interrupts: readonly Interrupt[];
  /** The usage of its steps, if it is known. */
  readonly steps?: readonly Pick<StoredStep, "usage" | "finishReason" | "model">[] | undefined;
}

type ToldEvent = AgentEventBody & { readonly step: number };

/** The events of a stored turn between its start and its end: of the answers of its log, and what it waits for. */
export function storedEvents(
  answers: readonly AgenticMessage[],
  { results, interrupts, steps = [] }: ToldTurn,
): ToldEvent[] {
  const told: ToldEvent[] = [];
  let step = 0;
  const tell = (body: AgentEventBody): undefined => void told.push({ ...body, step });
  const emit = { emit: tell, emitText: (delta: string, index: number) => tell({ type: "text_delta", delta, index }) };
  let finished = 0;
  const finishStep = (): void => {
    if (step === finished) return;
    finished = step;
    const { usage, finishReason, model } = steps[step - 1] ?? {};
    if (usage !== undefined && finishReason !== undefined && model !== undefined)
      tell({ type: "step_finish", usage, finishReason, model });
  };
  for (const message of [...answers, ...results]) {
    if (message.role === "assistant") {
      finishStep();
      step += 1;
      tell({ type: "step_start" });
      new ChunkEvents(emit).add(message);
      for (const event of wholeEvents(message)) tell(event);
    }
    if (isPushed(message)) {
      finishStep();
      tell({ type: "pushed", messages: [message] });
    }
    for (const { callId, name } of toolResultsOf(message)) tell({ type: "tool_result", callId, name, message });
  }
  if (interrupts.length === 0) finishStep();
  for (const interrupt of interrupts) tell({ type: "interrupt", interrupt });
  return told;
}

/** The prompt of a turn, and what was logged since; without what only served to get a valid output. */
export function partedLog(messages: readonly AgenticMessage[]): {
  readonly prompts: readonly AgenticMessage[];
  readonly answers: readonly AgenticMessage[];
} {
  const shown = messages.filter(({ role, extra }) => role !== "system" && extra?.invalid !== true);
  const isInput = ({ type }: { readonly type: string }): boolean => type.startsWith("user_input_");
  const isPrompt = (message: AgenticMessage): boolean =>
    message.role === "user" && !isPushed(message) && message.contentBlocks.some(isInput);
  const end = shown.findLastIndex(isPrompt) + 1;
  return { prompts: shown.slice(0, end), answers: shown.slice(end) };
}

/** A part of a turn: what was said to it while it ran, and what was answered since. */
export interface TurnPart {
  readonly pushed: readonly AgenticMessage[];
  readonly answers: readonly AgenticMessage[];
}

/** What followed the prompt, parted by what was said meanwhile. The first part begins with nothing said. */
export function partsOf(answers: readonly AgenticMessage[]): readonly TurnPart[] {
  const parts: { readonly pushed: AgenticMessage[]; readonly answers: AgenticMessage[] }[] = [
    { pushed: [], answers: [] },
  ];
  for (const message of answers) {
    const last = parts.at(-1);
    if (!isPushed(message)) last?.answers.push(message);
    else if (last !== undefined && last.answers.length === 0) last.pushed.push(message);
    else parts.push({ pushed: [message], answers: [] });
  }
  return parts;
}

/** The ids by which a chat knows the messages of a prompt: their own, unless an earlier message has it. */
export function promptIds(number: number, prompts: readonly AgenticMessage[], seen: Set<string>): string[] {
  return prompts.map(({ id }, index) => {
    const own = `turn-${number}-prompt${index === 0 ? "" : `-${index + 1}`}`;
    const name = id === undefined || id === "" || seen.has(id) ? own : id;
    seen.add(name);
    return name;
  });
}
