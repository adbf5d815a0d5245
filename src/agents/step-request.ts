import type { NodeContext } from "../components/context.js";
import type { ToolChoice } from "../components/model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ToolInfo } from "../schema/tool-info.js";
import { repairRest, repairToolCalls } from "../tools/node/repair-tool-calls.js";
import type { AgentModelOptions } from "./call-options.js";
import type { AnyMiddleware, StepChanges } from "./create-middleware.js";
import { unknownStepTool } from "./errors.js";
import { middlewaresWith, runHook } from "./hooks.js";
import { type ModelChain, modelChain } from "./model-chain.js";
import type { ModelRequest } from "./model-request.js";
import type { OutputRule } from "./output-rule.js";
import { instructionMessages, toolboxOf } from "./ready-agent.js";
import type { Toolbox } from "./toolbox.js";
import type { ReadyAgent, Turn } from "./turn.js";

/** What one step asks of a model, and which tools it may call. */
export interface Step {
  readonly model: ModelChain;
  readonly instructions: readonly AgenticMessage[];
  readonly infos: readonly ToolInfo[];
  readonly toolbox: Toolbox;
  readonly toolChoice: ToolChoice | undefined;
  readonly options: AgentModelOptions;
}

/** The step as the agent has it, after all that `beforeStep` hooks change. */
export function prepareStep(
  turn: Turn,
  { model, instructions, toolbox, parts }: ReadyAgent,
  ctx: NodeContext,
): Step | Promise<Step> {
  const options = { ...parts.options.modelOptions, ...givenToNode(turn, ctx), ...turn.call.modelOptions };
  const step: Step = { model, instructions, infos: toolbox.infos, toolbox, toolChoice: undefined, options };
  const middlewares = middlewaresWith(turn, "beforeStep");
  return middlewares.length === 0 ? step : changedBy(middlewares, turn, step, ctx);
}

async function changedBy(
  middlewares: readonly AnyMiddleware[],
  turn: Turn,
  given: Step,
  ctx: NodeContext,
): Promise<Step> {
  let step = given;
  for (const middleware of middlewares) {
    const changes = await runHook(turn, middleware, "beforeStep", ctx, (run) => middleware.beforeStep?.(run));
    if (changes !== undefined) step = changed(turn, step, changes as StepChanges, middleware.name);
  }
  return step;
}

/** What the run of the graph was given for models, or for this node. */
function givenToNode(turn: Turn, ctx: NodeContext): AgentModelOptions {
  if (turn.modelOptions === undefined) {
    const { call, ...given } = (ctx.options ?? {}) as AgentModelOptions & { readonly call?: unknown };
    turn.modelOptions = given;
  }
  return turn.modelOptions;
}

function changed(turn: Turn, step: Step, changes: StepChanges, middleware: string): Step {
  const { messages, instructions, model, tools, toolChoice, options } = changes;
  if (messages !== undefined) turn.state.view = { messages: [...messages], covers: turn.messages.length };
  return {
    ...step,
    ...(instructions !== undefined && { instructions: instructionMessages(instructions) }),
    ...(model !== undefined && { model: modelChain(model, turn.parts, `beforeStep of "${middleware}"`) }),
    ...(tools !== undefined && toolsOf(turn, step, tools, middleware)),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(options !== undefined && { options: { ...step.options, ...options } }),
  };
}

function toolsOf(
  turn: Turn,
  step: Step,
  tools: NonNullable<StepChanges["tools"]>,
  middleware: string,
): Pick<Step, "infos" | "toolbox"> {
  if (tools.length > 0 && tools.every((tool) => typeof tool !== "string")) {
    const toolbox = toolboxOf(turn.parts, tools);
    return { infos: toolbox.infos, toolbox };
  }
  const { infos } = step.toolbox;
  const chosen = (tools as readonly string[]).map((name) => {
    const info = infos.find((one) => one.name === name);
    if (info === undefined)
      throw unknownStepTool(
        middleware,
        name,
        infos.map((one) => one.name),
      );
    return info;
  });
  return { infos: chosen, toolbox: step.toolbox };
}

/** Which tools a call of the model has: all, only the one for the output, or none that it may use. */
export type CallKind = "step" | "repair" | "last";

/** One call of the model, in a step that is prepared. */
export function requestOf(turn: Turn, step: Step, rule: OutputRule | undefined, kind: CallKind): ModelRequest {
  const [system, others] = split(turn);
  return {
    model: step.model.model,
    instructions: [...step.instructions, ...system],
    messages: others,
    options: { ...step.options, ...toolOptions(step, rule, kind), ...formatOf(rule) },
  };
}

/**
 * What the user wrote as the system comes first; and what is sent has a result for every call. What an earlier step has sent is
 * not looked through again.
 */
function split(turn: Turn): [readonly AgenticMessage[], readonly AgenticMessage[]] {
  const { view } = turn;
  const known = turn.state.view === undefined ? turn.inOrder : 0;
  if (view.slice(known).some(isSystem)) return [view.filter(isSystem), repairToolCalls(view.filter(isNotSystem))];
  const others = repairRest(view, known);
  if (turn.state.view === undefined && others === view) turn.inOrder = view.length;
  return [none, others];
}

const none: readonly AgenticMessage[] = [];
const isSystem = ({ role }: AgenticMessage): boolean => role === "system";
const isNotSystem = ({ role }: AgenticMessage): boolean => role !== "system";

function toolOptions(step: Step, rule: OutputRule | undefined, kind: CallKind): object {
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
