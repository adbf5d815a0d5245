import { toolCallsOf } from "../schema/message/read-message.js";
import type { StopWhen } from "./agent-context.js";

const toolNames: unique symbol = Symbol("kumiko/tool-names") as never;

/**
 * Ends a run once one of these tools was called, for `stopWhen`.
 *
 * @example
 * const agent = createAgent({ model, tools: [getWeather], stopWhen: calledTool("get_weather") });
 */
export function calledTool(...names: readonly string[]): StopWhen {
  const stops: StopWhen = ({ steps }) => {
    const last = steps.at(-1);
    return last !== undefined && toolCallsOf(last.message).some(({ name }) => names.includes(name));
  };
  return Object.assign(stops, { [toolNames]: names });
}

/** The tools that a condition looks for, where it was made by `calledTool`. */
export function calledNames(stops: StopWhen): readonly string[] {
  return toolNames in stops ? (stops[toolNames] as readonly string[]) : [];
}
