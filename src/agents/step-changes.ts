import { checkOptions } from "../check-options.js";
import type { ToolChoice } from "../components/model.js";
import type { KumikoError } from "../errors.js";
import { isFields } from "../is.js";
import { areMessages } from "../schema/message/agentic-message.js";
import { modelName } from "../tools/node/model-name.js";
import { checkModelOptions } from "./call-settings.js";
import type { StepChanges } from "./create-middleware.js";
import { invalidAgentOption, unknownStepTool } from "./errors.js";
import { modelChain } from "./model-chain.js";
import { narrowToolbox } from "./narrow-toolbox.js";
import { instructionMessages, toolboxOf } from "./ready-agent.js";
import type { OngoingTurn, PreparedStep } from "./turn.js";

/** A step with what a `beforeStep` hook has changed. */
export function changedStep(
  turn: OngoingTurn,
  step: PreparedStep,
  changes: StepChanges,
  middleware: string,
): PreparedStep {
  checkStepChanges(changes, middleware);
  const { messages, instructions, model, tools, toolChoice, options } = changes;
  if (messages !== undefined) turn.state.view = { messages: [...messages], covers: turn.messages.length };
  return {
    ...step,
    requested: undefined,
    ...(instructions !== undefined && { instructions: instructionMessages(instructions) }),
    ...(model !== undefined && { model: modelChain(model, turn.parts, `beforeStep of "${middleware}"`) }),
    ...(tools !== undefined && toolsOf(turn, step, tools, middleware)),
    ...(toolChoice !== undefined && { toolChoice: chosen(toolChoice) }),
    ...(options !== undefined && { options: { ...step.options, ...options } }),
  };
}

/** Tools are named as the agent has them, or as models do. */
function chosen(choice: ToolChoice): ToolChoice {
  return typeof choice === "string" ? choice : { toolNames: choice.toolNames.map(modelName) };
}

const names = ["messages", "instructions", "model", "tools", "toolChoice", "options"];

function checkStepChanges(given: unknown, middleware: string): void {
  const where = `beforeStep of middleware "${middleware}"`;
  checkOptions(where, given, names);
  const { messages, instructions, tools, toolChoice, options } = given as StepChanges;
  const wrong = (field: string, what: string): KumikoError =>
    invalidAgentOption(`${field} from ${where} must be ${what}.`);
  if (messages !== undefined && !areMessages(messages)) throw wrong("messages", "a list of messages");
  if (instructions !== undefined && typeof instructions !== "string" && !areMessages(instructions)) {
    throw wrong("instructions", "a string or a list of messages");
  }
  if (tools !== undefined && !Array.isArray(tools)) throw wrong("tools", "a list of names or of tools");
  if (options !== undefined && !isFields(options)) throw wrong("options", "an object");
  checkModelOptions(where, options, "options");
  if (toolChoice === undefined || ["auto", "required", "none"].includes(toolChoice as string)) return;
  if (!isFields(toolChoice) || !Array.isArray(toolChoice.toolNames)) {
    throw wrong("toolChoice", '"auto", "required", "none" or { toolNames }');
  }
}

function toolsOf(
  turn: OngoingTurn,
  step: PreparedStep,
  tools: NonNullable<StepChanges["tools"]>,
  middleware: string,
): Pick<PreparedStep, "infos" | "toolbox" | "offered"> {
  if (tools.length > 0 && tools.every((tool) => typeof tool !== "string")) {
    const toolbox = toolboxOf(turn.parts, tools);
    return { infos: toolbox.infos, toolbox, offered: undefined };
  }
  const { infos } = step.toolbox;
  const chosen = (tools as readonly string[]).map((name) => {
    const info = infos.find((one) => one.name === modelName(name));
    if (info === undefined)
      throw unknownStepTool(
        middleware,
        name,
        infos.map((one) => one.name),
      );
    return info;
  });
  const names = new Set(chosen.map(({ name }) => name));
  return {
    infos: chosen,
    toolbox: step.toolbox,
    offered: narrowToolbox(step.toolbox, (name) => names.has(modelName(name))),
  };
}
