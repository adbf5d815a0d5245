import { checkOptions } from "../check-options.js";
import type { NodeContext } from "../components/context.js";
import { textOf, toolCallsOf, toolResultsOf } from "../schema/message/read-message.js";
import { modelName } from "../tools/node/model-name.js";
import { askOption, type StopWhen } from "./agent-context.js";
import type { AgentParts } from "./agent-parts.js";
import type { EndReason } from "./agent-result.js";
import { invalidAgentOption } from "./errors.js";
import type { OngoingTurn } from "./turn.js";

/** Why the round that has ended is the last one, and what the result says then; `undefined` if the turn goes on. */
export async function endAfterRound(
  turn: OngoingTurn,
  returnDirectly: readonly string[] = [],
  ctx: NodeContext,
): Promise<{ readonly reason: EndReason; readonly text: string } | undefined> {
  const last = turn.state.steps.at(-1);
  const { options } = turn.partsOf(last?.agent ?? turn.state.active);
  const returning = calledAs(returnDirectly, options);
  const returned = last?.results
    .flatMap(toolResultsOf)
    .find(({ name, isError }) => isError !== true && returning.includes(name));
  if (returned !== undefined) return { reason: "returned", text: returned.result };
  const { stopWhen = [] } = turn.root.options;
  const conditions = typeof stopWhen === "function" ? [stopWhen] : stopWhen;
  for (const [index, stops] of conditions.entries()) {
    const names = calledAs(calledNames(stops), options);
    const condition = names.length > 0 ? calledTool(...names) : stops;
    const option = typeof stopWhen === "function" ? "stopWhen" : `stopWhen[${index}]`;
    if (await askOption(turn.root.name, option, ctx.signal, () => condition(turn.run(ctx)))) {
      return { reason: "stop_when", text: last === undefined ? "" : textOf(last.message) };
    }
  }
  return undefined;
}

/** The names that models may call tools by. */
function calledAs(names: readonly string[], { toolsNode }: AgentParts["options"]): readonly string[] {
  const aliases = toolsNode?.toolAliases;
  return names.flatMap((name) => [name, modelName(name), ...(aliases?.[name]?.nameAliases ?? [])]);
}

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

/**
 * Ends a run once its turn has used more tokens than this, for `stopWhen`: of all calls of models, those of inner agents, summaries and
 * repairs included. It is asked after each round of tools, so the last one may go over. Throws `INVALID_OPTION` unless `tokens` is a
 * whole number of at least 1.
 *
 * @example
 * const agent = createAgent({ model, tools: [getWeather], stopWhen: overBudget({ tokens: 200_000 }) });
 */
export function overBudget(options: { readonly tokens: number }): StopWhen {
  checkOptions("overBudget", options, ["tokens"]);
  const { tokens } = options;
  if (typeof tokens !== "number" || !Number.isInteger(tokens) || tokens < 1)
    throw invalidAgentOption(`tokens of overBudget must be a whole number of at least 1 (got ${String(tokens)}).`);
  return ({ usage }) => usage.totalTokens > tokens;
}

/** The tools that a condition looks for, where it was made by `calledTool`. */
export function calledNames(stops: StopWhen): readonly string[] {
  return toolNames in stops ? (stops[toolNames] as readonly string[]) : [];
}
