import type { NodeContext } from "../components/context.js";
import type { ToolContext, ToolOutput } from "../components/tool.js";
import { isFields, isStream } from "../is.js";
import { type AgenticMessage, areMessages } from "../schema/message/agentic-message.js";
import { systemMessage } from "../schema/message/construct-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { type ProviderTool, type ToolInfo, toolInfo } from "../schema/tool-info.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import type { ToolStages } from "../tools/define/tool-stages.js";
import { duplicateTool } from "../tools/node/errors.js";
import type { ToolCall, ToolCallMiddleware } from "../tools/node/middleware.js";
import { isToolArray, type ToolList } from "../tools/node/tool-list.js";
import { ToolKit } from "../tools/node/tool-table.js";
import { type AgentContext, askOption, type Per } from "./agent-context.js";
import { type AgentParts, partsOf, reachableFrom, withTools } from "./agent-parts.js";
import { type CallRule, isFor } from "./approvals/approvals.js";
import type { AnyMiddleware } from "./create-middleware.js";
import { bareAgent, invalidAgentOption, noSuchTool, wrongFunctionResult } from "./errors.js";
import { wrapToolCall } from "./hooks.js";
import { type ModelChain, modelChain } from "./model-chain.js";
import { replacerOf } from "./result-replacer.js";
import { calledNames } from "./stop-conditions.js";
import { handoffTools, type Toolbox, transferNames } from "./toolbox.js";
import type { OngoingTurn, ReadyAgent } from "./turn.js";

/** The agent that answers now, with its model, instructions and tools of this turn; a promise of it at its first step. */
export function readyAgent(turn: OngoingTurn, ctx: NodeContext): ReadyAgent | Promise<ReadyAgent> {
  return turn.ready.get(turn.state.active) ?? resolveOnce(turn, ctx);
}

function resolveOnce(turn: OngoingTurn, ctx: NodeContext): ReadyAgent | Promise<ReadyAgent> {
  const { ready, state, parts } = turn;
  const { active } = state;
  const isRuled = turn.rules !== undefined;
  const agent = areFixed(parts) ? fixedAgent(parts, isRuled) : resolve(parts, isRuled, turn.context(ctx));
  ready.set(active, agent);
  if (agent instanceof Promise) agent.then((resolved) => ready.set(active, resolved), ignore);
  return agent;
}

function ignore(): void {}

function areFixed({ options: { model, instructions, tools } }: AgentParts): boolean {
  return typeof model !== "function" && typeof instructions !== "function" && typeof tools !== "function";
}

/** An agent without options that are functions is the same in every turn. */
function fixedAgent(parts: AgentParts, isRuled: boolean): ReadyAgent {
  const { model, instructions, tools } = parts.options;
  const make = (): ReadyAgent => ({
    parts,
    model: fixed(parts, "model", () => modelOf(parts, model)),
    instructions: fixed(parts, "instructions", () => instructionsOf(instructions)),
    toolbox: fixed(parts, toolsKey(isRuled), () => toolboxOf(parts, (tools ?? []) as ToolList, { isRuled })),
  });
  return fixed(parts, isRuled ? "ruled agent" : "agent", make);
}

function toolsKey(isRuled: boolean): string {
  return isRuled ? "ruled tools" : "tools";
}

async function resolve(parts: AgentParts, isRuled: boolean, context: AgentContext): Promise<ReadyAgent> {
  const { options } = parts;
  const model = await optionOf(parts, "model", context, (given) => modelOf(parts, given));
  const instructions = await optionOf(parts, "instructions", context, (given) => instructionsOf(given));
  const toolbox = await optionOf(parts, "tools", context, (given) => toolboxOf(parts, given ?? [], { isRuled }));
  if (typeof options.tools === "function") checkToolNames(parts, toolbox);
  return { parts, model, instructions, toolbox };
}

/** The value of an option in this turn. Fixed values are computed once. */
async function optionOf<Name extends "model" | "instructions" | "tools", Ready>(
  parts: AgentParts,
  name: Name,
  context: AgentContext,
  make: (given: FixedOf<Name>) => Ready,
): Promise<Ready> {
  const given = parts.options[name] as Per<FixedOf<Name>>;
  if (typeof given !== "function") return fixed(parts, name, () => make(given));
  const ask = given as (context: AgentContext) => unknown;
  const value = await askOption(parts.name, name, context.signal, () => ask(context));
  try {
    return make(value as FixedOf<Name>);
  } catch (cause) {
    throw wrongFunctionResult(name, cause);
  }
}

type FixedOf<Name extends "model" | "instructions" | "tools"> = Exclude<
  AgentParts["options"][Name],
  (...args: never[]) => unknown
>;

const fixedValues = new WeakMap<AgentParts, Map<string, unknown>>();

function fixed<Made>(parts: AgentParts, name: string, make: () => Made): Made {
  const known = fixedValues.get(parts) ?? new Map<string, unknown>();
  fixedValues.set(parts, known);
  if (!known.has(name)) known.set(name, make());
  return known.get(name) as Made;
}

/** Reports invalid fixed options when the agent is made. */
export function checkFixed(parts: AgentParts): void {
  const { model, instructions, tools } = parts.options;
  if (typeof model !== "function" || isModelLike(model)) fixed(parts, "model", () => modelOf(parts, model));
  if (typeof instructions !== "function") fixed(parts, "instructions", () => instructionsOf(instructions));
  if (typeof tools === "function") {
    toolboxOf(parts, [], { withoutHandoffs: typeof parts.options.handoffs === "function" });
    return;
  }
  // agents that are handed over to may not be there yet: their tools are added when they are
  const toolbox = toolboxOf(parts, tools ?? [], { withoutHandoffs: typeof parts.options.handoffs === "function" });
  checkToolNames(parts, toolbox);
}

function isModelLike(value: object): boolean {
  return "languageModel" in value;
}

function modelOf(parts: AgentParts, given: unknown): ModelChain {
  return modelChain(given as never, parts, `createAgent("${parts.name}")`);
}

function instructionsOf(given: unknown): readonly AgenticMessage[] {
  if (given === undefined || given === "") return [];
  if (typeof given === "string") return [systemMessage(given)];
  if (areMessages(given)) return given;
  throw invalidAgentOption(
    "instructions must be a string, a list of messages, or a function that returns one of them.",
  );
}

/** `beforeStep` may choose other instructions. */
export function instructionMessages(given: string | readonly AgenticMessage[]): readonly AgenticMessage[] {
  return instructionsOf(given);
}

/** The fixed tools of an agent; `undefined` where a function gives them. */
export function fixedToolbox(parts: AgentParts): Toolbox | undefined {
  const { tools } = parts.options;
  return typeof tools === "function" ? undefined : fixed(parts, "tools", () => toolboxOf(parts, tools ?? []));
}

/** The parts that may make the run wait once another agent has taken over, as far as that is known before. */
export function mayWaitLater(root: AgentParts): string | undefined {
  if (root.options.handoffs === undefined) return undefined;
  for (const parts of reachableFrom(root)) {
    const waits = fixedToolbox(parts)?.mayWait;
    if (waits !== undefined) return waits;
  }
  return undefined;
}

interface ToolboxOptions {
  readonly withoutHandoffs?: boolean | undefined;
  /** Whether rules decide about calls: its own, or those of the agent that has handed over. */
  readonly isRuled?: boolean | undefined;
}

export function toolboxOf(
  parts: AgentParts,
  tools: ToolList,
  { withoutHandoffs = false, isRuled = parts.rules !== undefined }: ToolboxOptions = {},
): Toolbox {
  checkBareAgents(tools);
  const { options, middleware } = parts;
  const own = middleware.flatMap(({ tools: more = [] }) => more.map((tool) => [nameOf(tool), tool] as const));
  checkBareAgents(own.map(([, tool]) => tool));
  const handoffs = withoutHandoffs ? [] : parts.handoffs();
  const { toolsNode = {} } = options;
  const { own: all, provided } = splitTools(withTools(tools, [...own, ...handoffTools(handoffs)]));
  const wrappers = toolWrappers(parts, isRuled);
  const config = {
    ...toolsNode,
    onToolError: options.onToolError ?? "result",
    tools: all,
    toolCallMiddlewares: [...wrappers.outer, ...(toolsNode.toolCallMiddlewares ?? []), ...wrappers.inner],
  };
  const kit = new ToolKit(config, replacerOf(parts));
  checkProvidedNames(kit.table.names, provided);
  return {
    kit,
    tools: all,
    table: kit.table,
    infos: provided.length === 0 ? kit.infos : [...kit.infos, ...provided],
    transfers: new Map(handoffs.flatMap(({ name }) => transferNames(name).map((tool) => [tool, name] as const))),
    mayWait: mayWait(parts, all, kit),
  };
}

function checkBareAgents(tools: ToolList): void {
  if (typeof tools !== "object" || tools === null) return;
  for (const [key, tool] of Object.entries(tools)) {
    const agent = partsOf(tool);
    if (agent !== undefined) throw bareAgent(isToolArray(tools) ? `tools[${key}]` : `tools["${key}"]`, agent.name);
  }
}

/** Throws for options about a tool that does not exist: they would silently have no effect. */
function checkToolNames({ options, middleware, rules }: AgentParts, { kit, infos }: Toolbox): void {
  const { names } = kit.table;
  const { returnDirectly = [], stopWhen = [], handoffs } = options;
  for (const name of returnDirectly) if (!names.includes(name)) throw noSuchTool("returnDirectly", name, names);
  // other agents, and middlewares, may bring the tool
  if (handoffs !== undefined || middleware.some(({ beforeStep }) => beforeStep !== undefined)) return;
  for (const stops of typeof stopWhen === "function" ? [stopWhen] : stopWhen) {
    const other = calledNames(stops).find((name) => !names.includes(name));
    if (other !== undefined) throw noSuchTool("calledTool, given to stopWhen,", other, names);
  }
  for (const { tool } of rules ?? []) {
    // tools of a provider's MCP servers are not known here
    if (!tool.endsWith("*") && !names.includes(tool) && infos.length === names.length)
      throw noSuchTool("A rule of approvals", tool, names);
  }
}

function nameOf(tool: AnyTool): string {
  const { info, name, id } = tool as { info?: { name?: unknown }; name?: unknown; id?: unknown };
  return String((typeof info === "object" ? info?.name : undefined) ?? name ?? id ?? "");
}

/** Whether a tool may make the run wait, as far as that can be seen. */
function mayWait({ rules = [] }: AgentParts, tools: ToolList, kit: ToolKit): string | undefined {
  if (rules.some(({ action }) => action === "ask")) return "Tools of the agent need approval";
  const table = kit.table;
  const given = isToolArray(tools) ? tools : Object.values(tools);
  for (const [index, name] of table.names.entries()) {
    const stages: ToolStages | undefined = table.entries.get(name)?.stages;
    if (stages?.approve !== undefined && !isAllowed(rules, name)) return `Tool "${name}" needs approval`;
    if (stages?.suspension?.payload !== undefined) return `Tool "${name}" may be suspended`;
    if (stages?.isClientTool === true && !isProviderTool(given[index])) return `Tool "${name}" runs elsewhere`;
  }
  return undefined;
}

/** Whether it never asks, whatever it requires itself. */
function isAllowed(rules: readonly CallRule[], name: string): boolean {
  const rule = rules.find((one) => isFor(one, name));
  return rule?.action === "allow" && rule.when === undefined;
}

/** The provider runs it itself. */
function isProviderTool(tool: unknown): boolean {
  const { info } = (tool ?? {}) as { info?: ToolInfo };
  return info?.provider !== undefined;
}

/** The tools of an agent: those that run here, and what the model is told of those that its provider runs. */
interface SplitTools {
  readonly own: ToolList;
  readonly provided: readonly ToolInfo[];
}

type Provided = ProviderTool & { readonly name?: string | undefined };

/** Separates the tools that the provider runs, such as what `openai.tools.webSearch({})` returns. */
function splitTools(tools: ToolList): SplitTools {
  if (typeof tools !== "object" || tools === null) return { own: tools, provided: [] };
  const entries: readonly (readonly [string, AnyTool])[] = Object.entries(tools);
  if (!entries.some(([, tool]) => isProvided(tool))) return { own: tools, provided: [] };
  const provided = new Map<string, { readonly info: ToolInfo; readonly where: string }>();
  for (const [key, tool] of entries) {
    if (!isProvided(tool)) continue;
    const where = isToolArray(tools) ? `tools[${key}]` : `tools["${key}"]`;
    const info = infoOf(tool, isToolArray(tools) ? undefined : key);
    const other = provided.get(info.name);
    if (other !== undefined) throw duplicateTool(info.name, other.where, where);
    provided.set(info.name, { info, where });
  }
  const own = isToolArray(tools)
    ? tools.filter((tool) => !isProvided(tool))
    : Object.fromEntries(entries.filter(([, tool]) => !isProvided(tool)));
  return { own, provided: [...provided.values()].map(({ info }) => info) };
}

/** Throws if a tool that runs here has the name of one that the provider runs. */
function checkProvidedNames(names: readonly string[], provided: readonly ToolInfo[]): void {
  for (const { name } of provided) {
    if (names.includes(name)) throw duplicateTool(name, "A tool of the provider", "a tool of the agent");
  }
}

/** With `execute`, the provider only knows the tool: it runs here. */
function isProvided(tool: unknown): tool is Provided {
  if (!isFields(tool) || typeof tool.execute === "function") return false;
  return tool.type === "provider" || tool.type === "provider-defined";
}

/** In a list, a tool without a name is called like its id: `openai.web_search` is `web_search`. */
function infoOf(tool: Provided, key: string | undefined): ToolInfo {
  const { id, name } = tool;
  return toolInfo({ name: key ?? name ?? id.slice(id.lastIndexOf(".") + 1), provider: tool });
}

/** The wrappers of every tool of an agent, outside and inside of those of its tools node. */
export function toolWrappers(
  parts: AgentParts,
  isRuled: boolean,
): { readonly outer: readonly ToolCallMiddleware[]; readonly inner: readonly ToolCallMiddleware[] } {
  const outer = parts.middleware.filter(({ wrapToolCall }) => wrapToolCall !== undefined);
  return {
    outer: outer.map(hookWrapper),
    inner: isRuled ? [ruled] : [],
  };
}

function hookWrapper(middleware: AnyMiddleware): ToolCallMiddleware {
  return {
    invokable: (next) => (call, ctx) => wrapToolCall(middleware, call, ctx, (changed = call) => next(changed, ctx)),
    streamable: (next) => async (call, ctx) => {
      let reader: StreamReader<unknown> | undefined;
      const given = await wrapToolCall(middleware, call, ctx, (changed = call) => {
        const stream = next(changed, ctx);
        reader = stream;
        return stream.concat();
      });
      void reader?.cancel();
      return outputOf(given);
    },
  };
}

/** A hook may give a stream for a tool that streams, like the tool. */
function outputOf(given: unknown): StreamReader<ToolOutput> {
  return StreamReader.from(isStream(given) ? (given as StreamSource<ToolOutput>) : [given as ToolOutput]);
}

/** Decides by rules whether a call runs. What the tool itself asks is asked in the same question. */
const ruled: ToolCallMiddleware = {
  invokable: (next) => async (call, ctx) => next(await settled(call, ctx), ctx),
  streamable: (next) => async (call, ctx) => next(await settled(call, ctx), ctx),
};

async function settled(call: ToolCall, ctx: ToolContext): Promise<ToolCall> {
  const { settleCall } = await import("./approvals/settle-call.js");
  return settleCall(call, ctx);
}
