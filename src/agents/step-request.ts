import { checkOptions } from "../check-options.js";
import type { NodeContext } from "../components/context.js";
import type { ToolChoice } from "../components/model.js";
import type { KumikoError } from "../errors.js";
import { isFields } from "../is.js";
import { type AgenticMessage, areMessages } from "../schema/message/agentic-message.js";
import type { ToolInfo } from "../schema/tool-info.js";
import { isInOrder } from "../tools/node/is-in-order.js";
import { modelName } from "../tools/node/model-name.js";
import { repairToolCalls } from "../tools/node/repair-tool-calls.js";
import type { AgentModelOptions } from "./call-options.js";
import { checkModelOptions } from "./call-settings.js";
import type { StepChanges } from "./create-middleware.js";
import { invalidAgentOption, unknownStepTool } from "./errors.js";
import { beforeStep } from "./hooks.js";
import { modelChain } from "./model-chain.js";
import type { ModelRequest } from "./model-request.js";
import { instructionMessages, toolboxOf } from "./ready-agent.js";
import type { OutputRule } from "./structured-output.js";
import { narrowToolbox, type Toolbox } from "./toolbox.js";
import { type CallKind, keptView, type OngoingTurn, type PreparedStep, type ReadyAgent } from "./turn.js";

/** The step as the agent has it, after all that `beforeStep` hooks change. */
export function prepareStep(
  turn: OngoingTurn,
  ready: ReadyAgent,
  ctx: NodeContext,
): PreparedStep | Promise<PreparedStep> {
  const step = turn.step?.ready === ready ? turn.step : newStep(turn, ready, ctx);
  turn.step = step;
  return beforeStep(turn, step, ctx, changedStep) ?? step;
}

/** The step of an answer that was given in another process, prepared again on the log before that answer. Nothing else changes. */
export async function stepAgain(turn: OngoingTurn, ready: ReadyAgent, ctx: NodeContext): Promise<PreparedStep> {
  const { state } = turn;
  const { log, steps, view, keptView } = state;
  state.log = log.slice(
    0,
    log.findLastIndex(({ role }) => role === "assistant"),
  );
  state.steps = steps.slice(0, -1);
  try {
    return await prepareStep(turn, ready, ctx);
  } finally {
    Object.assign(state, { log, steps, view, keptView });
  }
}

function newStep(turn: OngoingTurn, ready: ReadyAgent, ctx: NodeContext): PreparedStep {
  const { model, instructions, toolbox, parts } = ready;
  const options = { ...parts.options.modelOptions, ...givenToNode(turn, ctx), ...turn.asked.modelOptions };
  const isSeen = parts.middleware.some(({ wrapModelCall }) => wrapModelCall !== undefined);
  const { infos } = toolbox;
  return {
    ready,
    model,
    instructions,
    added: none,
    hidden: new Set(),
    infos,
    toolbox,
    toolChoice: undefined,
    options,
    isSeen,
  };
}

/** The options of the run for models, or for this node. */
function givenToNode(turn: OngoingTurn, ctx: NodeContext): AgentModelOptions {
  if (turn.modelOptions === undefined) {
    turn.modelOptions = (ctx.options ?? {}) as AgentModelOptions;
  }
  return turn.modelOptions;
}

function newOptions(step: PreparedStep, rule: OutputRule | undefined, kind: CallKind): ModelRequest["options"] {
  return { ...step.options, ...toolOptions(step, rule, kind), ...formatOf(rule) };
}

/** The same in every step. */
function sameOptions(step: PreparedStep): ModelRequest["options"] {
  step.requested ??= Object.freeze(newOptions(step, undefined, "step"));
  return step.requested;
}

/**
 * One call of the model, in a step that is prepared. What the user wrote as the system comes first; and what is sent has a result
 * for every call. What an earlier step has sent is not looked through again.
 */
export function requestOf(
  turn: OngoingTurn,
  step: PreparedStep,
  rule: OutputRule | undefined,
  kind: CallKind,
): ModelRequest {
  const { view } = turn;
  const known = turn.state.view === undefined ? turn.inOrder : 0;
  const standApart = view.slice(known).some(isSystem);
  const system = standApart ? view.filter(isSystem) : none;
  const others = standApart ? view.filter((message) => !isSystem(message)) : view;
  const asking = (messages: readonly AgenticMessage[]): ModelRequest => ({
    model: step.model.model,
    instructions: [...step.instructions, ...step.added, ...system],
    messages,
    // what no middleware sees, none can change
    options: step.isSeen || rule !== undefined || kind !== "step" ? newOptions(step, rule, kind) : sameOptions(step),
  });
  if (!isInOrder(others, standApart ? 0 : known)) return asking(repairToolCalls(others));
  if (turn.state.view === undefined && !standApart) turn.inOrder = view.length;
  return asking(others);
}

const none: readonly AgenticMessage[] = [];
const isSystem = ({ role }: AgenticMessage): boolean => role === "system";

function toolOptions(step: PreparedStep, rule: OutputRule | undefined, kind: CallKind): object {
  const outputTool = rule?.tool;
  if (kind !== "step" && outputTool !== undefined) {
    return { tools: [outputTool], toolChoice: { toolNames: [outputTool.name] } };
  }
  const tools = outputTool === undefined ? step.infos : [...step.infos, outputTool];
  if (tools.length === 0) return {};
  if (kind !== "step") return { tools, toolChoice: "none" };
  return step.toolChoice === undefined ? { tools } : { tools, toolChoice: step.toolChoice };
}

function formatOf(rule: OutputRule | undefined): object {
  if (rule === undefined || rule.tool !== undefined) return {};
  return { responseFormat: { type: "json", schema: rule.schema.formatSchema, name: "output" } };
}

/** A step with what a `beforeStep` hook has changed. */
export function changedStep(
  turn: OngoingTurn,
  step: PreparedStep,
  changes: StepChanges,
  middleware: string,
): PreparedStep {
  checkStepChanges(changes, middleware);
  const { messages, instructions, addInstructions, model, tools, hideTools, toolChoice, options } = changes;
  if (messages !== undefined) {
    turn.state.view = { messages: [...messages], covers: turn.messages.length };
    if (keptView in changes) turn.state.keptView = turn.state.view;
  }
  return {
    ...step,
    requested: undefined,
    ...(instructions !== undefined && { instructions: instructionMessages(instructions) }),
    ...(model !== undefined && { model: modelChain(model, turn.parts, `beforeStep of "${middleware}"`) }),
    ...(addInstructions !== undefined && { added: [...step.added, ...instructionMessages(addInstructions)] }),
    ...((tools ?? hideTools) !== undefined && toolsOnOffer(turn, step, changes, middleware)),
    ...(toolChoice !== undefined && { toolChoice: chosen(toolChoice) }),
    ...(options !== undefined && { options: { ...step.options, ...options } }),
  };
}

/** Tools are named as the agent has them, or as models do. */
function chosen(choice: ToolChoice): ToolChoice {
  return typeof choice === "string" ? choice : { toolNames: choice.toolNames.map(modelName) };
}

const names = [
  ...["messages", "instructions", "addInstructions", "model", "tools", "hideTools", "toolChoice", "options"],
];

function checkStepChanges(given: unknown, middleware: string): void {
  const where = `beforeStep of middleware "${middleware}"`;
  checkOptions(where, given, names);
  const { messages, instructions, addInstructions, tools, hideTools, toolChoice, options } = given as StepChanges;
  const wrong = (field: string, what: string): KumikoError =>
    invalidAgentOption(`${field} from ${where} must be ${what}.`);
  if (messages !== undefined && !areMessages(messages)) throw wrong("messages", "a list of messages");
  for (const [field, value] of Object.entries({ instructions, addInstructions })) {
    if (value !== undefined && typeof value !== "string" && !areMessages(value))
      throw wrong(field, "a string or a list of messages");
  }
  if (hideTools !== undefined && !areNames(hideTools)) throw wrong("hideTools", "a list of names");
  if (tools !== undefined && !areNames(tools) && !(Array.isArray(tools) && !tools.some(isName)))
    throw wrong("tools", "a list of names or a list of tools, not both in one");
  if (options !== undefined && !isFields(options)) throw wrong("options", "an object");
  checkModelOptions(where, options, "options");
  if (toolChoice === undefined || ["auto", "required", "none"].includes(toolChoice as string)) return;
  if (!isFields(toolChoice) || !areNames(toolChoice.toolNames)) {
    throw wrong("toolChoice", '"auto", "required", "none" or { toolNames }');
  }
}

function areNames(given: unknown): boolean {
  return Array.isArray(given) && given.every(isName);
}

const isName = (given: unknown): boolean => typeof given === "string";

/** The tools of a step: those that are chosen, without those that are hidden. */
function toolsOnOffer(
  turn: OngoingTurn,
  step: PreparedStep,
  { tools, hideTools = [] }: StepChanges,
  middleware: string,
): Pick<PreparedStep, "infos" | "toolbox" | "offered" | "hidden"> {
  const { infos, toolbox, offered } = tools === undefined ? step : toolsOf(turn, step, tools, middleware);
  if (hideTools.length === 0 && step.hidden.size === 0) return { infos, toolbox, offered, hidden: step.hidden };
  const added = infosOf(toolbox, hideTools, middleware).map(({ name }) => name);
  const hidden = step.hidden.size === 0 ? new Set(added) : new Set([...step.hidden, ...added]);
  return {
    infos: infos.filter(({ name }) => !hidden.has(name)),
    toolbox,
    offered: narrowToolbox(offered ?? toolbox, (name) => !hidden.has(modelName(name))),
    hidden,
  };
}

/** What models are told of tools, by their names; there may be thousands. */
function infosOf({ infos }: Toolbox, names: readonly string[], middleware: string): ToolInfo[] {
  const byName = new Map(infos.map((info) => [info.name, info]));
  return names.map((name) => {
    const info = byName.get(modelName(name));
    if (info === undefined) throw unknownStepTool(middleware, name, [...byName.keys()]);
    return info;
  });
}

function toolsOf(
  turn: OngoingTurn,
  step: PreparedStep,
  tools: NonNullable<StepChanges["tools"]>,
  middleware: string,
): Pick<PreparedStep, "infos" | "toolbox" | "offered"> {
  if (tools.length > 0 && tools.every((tool) => typeof tool !== "string")) {
    const toolbox = toolboxOf(turn.parts, tools, { isRuled: turn.rules !== undefined });
    return { infos: toolbox.infos, toolbox, offered: undefined };
  }
  const chosen = infosOf(step.toolbox, tools as readonly string[], middleware);
  const names = new Set(chosen.map(({ name }) => name));
  return {
    infos: chosen,
    toolbox: step.toolbox,
    offered: narrowToolbox(step.toolbox, (name) => names.has(modelName(name))),
  };
}
