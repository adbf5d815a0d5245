import { toolCallsOf } from "../schema/message/read-message.js";
import type { StopWhen } from "./agent-context.js";

/**
 * Ends a run once one of these tools was called, for `stopWhen`.
 *
 * @example
 * const agent = createAgent({ model, tools: [getWeather], stopWhen: calledTool("get_weather") });
 */
export function calledTool(...names: readonly string[]): StopWhen {
  return ({ steps }) => {
    const last = steps.at(-1);
    return last !== undefined && toolCallsOf(last.message).some(({ name }) => names.includes(name));
  };
}
