import type { StepChanges } from "./create-middleware.js";
import { unknownStepTool } from "./errors.js";
import { modelChain } from "./model-chain.js";
import { instructionMessages, toolboxOf } from "./ready-agent.js";
import type { OngoingTurn, PreparedStep } from "./turn.js";

/** A step with what a `beforeStep` hook has changed. */
export function changedStep(
  turn: OngoingTurn,
  step: PreparedStep,
  changes: StepChanges,
  middleware: string,
): PreparedStep {
  const { messages, instructions, model, tools, toolChoice, options } = changes;
  if (messages !== undefined) turn.state.view = { messages: [...messages], covers: turn.messages.length };
  return {
    ...step,
    requested: undefined,
    ...(instructions !== undefined && { instructions: instructionMessages(instructions) }),
    ...(model !== undefined && { model: modelChain(model, turn.parts, `beforeStep of "${middleware}"`) }),
    ...(tools !== undefined && toolsOf(turn, step, tools, middleware)),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(options !== undefined && { options: { ...step.options, ...options } }),
  };
}

function toolsOf(
  turn: OngoingTurn,
  step: PreparedStep,
  tools: NonNullable<StepChanges["tools"]>,
  middleware: string,
): Pick<PreparedStep, "infos" | "toolbox"> {
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
