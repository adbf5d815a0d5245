import type { AnyTool } from "../tools/define/any-tool.js";
import { createTool } from "../tools/define/create-tool.js";
import { modelName } from "../tools/node/model-name.js";
import type { AgentParts } from "./agent-parts.js";

/** The name of the tool that hands a conversation over to an agent. */
function transferTo(agent: string): string {
  return `transfer_to_${agent}`;
}

/** The names that models may call it by: providers refuse long ones. */
export function transferNames(agent: string): readonly string[] {
  return [transferTo(agent), modelName(transferTo(agent))];
}

/** The result that the model gets for a transfer. */
export function transferred(agent: string): string {
  return `The conversation was handed over to ${agent}.`;
}

/** One tool per agent that may be handed over to. */
export function handoffTools(agents: readonly AgentParts[]): (readonly [string, AnyTool])[] {
  return agents.map(({ name, description }) => {
    const about = description === undefined ? "" : ` ${description}`;
    const tool = createTool({
      id: transferTo(name),
      description: `Hands the conversation over to ${name}.${about}`,
      inputSchema: { type: "object", properties: {}, additionalProperties: true },
      execute: () => transferred(name),
    });
    return [transferTo(name), tool as AnyTool];
  });
}
