import { toolCallsOf } from "../schema/message/read-message.js";
import { modelName } from "../tools/node/model-name.js";
import type { StopWhen } from "./agent-context.js";

const toolNames: unique symbol = Symbol("kumiko/tool-names") as never;

/**
 * Ends a run once one of these tools was called, for `stopWhen`. `createAgent` throws if the agent has no such tool.
 *
 * @example
 * const agent = createAgent({ model, tools: [getWeather], stopWhen: calledTool("get_weather") });
 */
export function calledTool(...names: readonly string[]): StopWhen {
  const called = new Set([...names, ...names.map(modelName)]);
  const stops: StopWhen = ({ steps }) => {
    const last = steps.at(-1);
    return last !== undefined && toolCallsOf(last.message).some(({ name }) => called.has(name));
  };
  return Object.assign(stops, { [toolNames]: names });
}

/** The tools that a condition looks for, where it was made by `calledTool`. */
export function calledNames(stops: StopWhen): readonly string[] {
  return toolNames in stops ? (stops[toolNames] as readonly string[]) : [];
}
