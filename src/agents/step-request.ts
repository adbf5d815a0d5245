import type { NodeContext } from "../components/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { isInOrder } from "../tools/node/is-in-order.js";
import { repairToolCalls } from "../tools/node/repair-tool-calls.js";
import type { AgentModelOptions } from "./call-options.js";
import { turnHooks } from "./hooks.js";
import type { ModelRequest } from "./model-request.js";
import { changedStep } from "./step-changes.js";
import type { OutputRule } from "./structured-output.js";
import type { CallKind, OngoingTurn, PreparedStep, ReadyAgent } from "./turn.js";

/** The step as the agent has it, after all that `beforeStep` hooks change. */
export function prepareStep(
  turn: OngoingTurn,
  ready: ReadyAgent,
  ctx: NodeContext,
): PreparedStep | Promise<PreparedStep> {
  const step = turn.step?.ready === ready ? turn.step : newStep(turn, ready, ctx);
  turn.step = step;
  return turnHooks(turn)?.beforeStep(turn, step, ctx, changedStep) ?? step;
}

function newStep(turn: OngoingTurn, ready: ReadyAgent, ctx: NodeContext): PreparedStep {
  const { model, instructions, toolbox, parts } = ready;
  const options = { ...parts.options.modelOptions, ...givenToNode(turn, ctx), ...turn.asked.modelOptions };
  const isSeen = parts.middleware.some(({ wrapModelCall }) => wrapModelCall !== undefined);
  return { ready, model, instructions, infos: toolbox.infos, toolbox, toolChoice: undefined, options, isSeen };
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
  const hasSystem = someIsSystem(view, known);
  const system = hasSystem ? view.filter(isSystem) : none;
  const others = hasSystem ? view.filter(isNotSystem) : view;
  // what no middleware sees, none can change
  const { isSeen } = step;
  const asking = (messages: readonly AgenticMessage[]): ModelRequest => ({
    model: step.model.model,
    instructions: isSeen || system.length > 0 ? [...step.instructions, ...system] : step.instructions,
    messages,
    options: isSeen || rule !== undefined || kind !== "step" ? newOptions(step, rule, kind) : sameOptions(step),
  });
  if (!isInOrder(others, hasSystem ? 0 : known)) return asking(repairToolCalls(others));
  if (turn.state.view === undefined && !hasSystem) turn.inOrder = view.length;
  return asking(others);
}

function someIsSystem(messages: readonly AgenticMessage[], first: number): boolean {
  for (let index = first; index < messages.length; index++) if (messages[index]?.role === "system") return true;
  return false;
}

const none: readonly AgenticMessage[] = [];
const isSystem = ({ role }: AgenticMessage): boolean => role === "system";
const isNotSystem = ({ role }: AgenticMessage): boolean => role !== "system";

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
  return { responseFormat: { type: "json", schema: rule.schema.jsonSchema, name: "output" } };
}
