import type { Agent } from "../../agents/agent.js";
import { partsOf } from "../../agents/agent-parts.js";
import { createAgent } from "../../agents/create-agent.js";
import type { GraphInfo } from "../../callbacks/graph-info.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { memoryStore } from "../../checkpoint/memory-store.js";
import type { CompiledGraph } from "../../compose/compiled-graph.js";
import { hasNodeDefinition, nodeDefinition } from "../../compose/plan/node-definition.js";
import type { Plan } from "../../compose/plan/plan.js";
import { KumikoError } from "../../errors.js";
import { CompiledPlan } from "../../run/compiled-plan.js";
import type { AgentView, AppRow, AppView, ToolView } from "../api.js";
import { levelOf } from "../layout/graph-picture.js";
import type { App, ViewerOptions } from "../viewer-options.js";

type AnyGraph = CompiledGraph<unknown, unknown>;

/** An app as the server uses it. */
export interface ShownApp {
  readonly row: AppRow;
  readonly agent: Agent<unknown> | undefined;
  /** Its graph; for a graph without a store one that keeps runs as long as the process lives. */
  readonly graph: AnyGraph;
  readonly info: GraphInfo;
  readonly plan: Plan | undefined;
  readonly store: CheckpointStore | undefined;
}

/** The apps, and all stores by name. */
export interface Shown {
  readonly apps: readonly ShownApp[];
  readonly stores: ReadonlyMap<string, CheckpointStore>;
}

export function shownApps(
  { apps = {}, stores = {} }: Pick<ViewerOptions, "apps" | "stores">,
  given?: CheckpointStore,
): Shown {
  const named = new Map<string, CheckpointStore>(Object.entries(stores));
  const session = { store: given ?? memoryStore(), keeps: given === undefined ? "session" : "store" } as const;
  const shown = Object.entries(apps).map(([key, app]) => shownApp(key, app, session));
  if (given !== undefined) named.set("store", given);
  for (const { store, row } of shown) {
    if (store === undefined || [...named.values()].includes(store)) continue;
    named.set(named.has(row.key) ? `${row.key}#2` : store === session.store ? "session" : row.key, store);
  }
  for (const { row, store } of shown) {
    const other = shown.find((one) => one.row.key !== row.key && one.row.name === row.name && one.store === store);
    if (other !== undefined && store !== undefined) throw sameName(row.name, other.row.key, row.key);
  }
  return { apps: shown, stores: named };
}

/** What keeps the runs of apps without a store. */
interface Session {
  readonly store: CheckpointStore;
  readonly keeps: AppRow["keeps"];
}

function shownApp(key: string, app: App, session: Session): ShownApp {
  const agent = "generate" in app ? (app as Agent<unknown>) : undefined;
  const given = (agent?.graph ?? app) as object as AnyGraph;
  const body = hasNodeDefinition(given) ? given[nodeDefinition].body : undefined;
  const plan = body?.kind === "graph" ? body.plan : undefined;
  const info = given.graphInfo();
  const { name, component } = info;
  const row = { key, name, component };
  if (plan === undefined || plan.store !== undefined) {
    const keeps = plan?.store === undefined ? "none" : "store";
    return { row: { ...row, keeps }, agent, graph: given, info, plan, store: plan?.store };
  }
  const parts = partsOf(agent);
  if (parts !== undefined) {
    const kept = createAgent({ ...parts.options, store: session.store, history: true });
    return { ...shownApp(key, kept as App, session), row: { ...row, keeps: session.keeps } };
  }
  const kept = { ...plan, store: session.store, durability: "step", history: { last: 1_000 } } as const;
  const graph = new CompiledPlan<unknown, unknown>(Object.freeze(kept)) as AnyGraph;
  return { row: { ...row, keeps: session.keeps }, agent, graph, info, plan: kept, store: session.store };
}

/** What `GET apps/<key>` gives. */
export function appView({ row, agent, info }: ShownApp): AppView {
  return {
    ...row,
    graph: info,
    ...levelOf(info),
    ...(agent !== undefined && { agent: agentView(agent) }),
    ...(info.input !== undefined && { input: info.input }),
  };
}

function agentView(agent: Agent<unknown>): AgentView {
  const { instructions, ...rest } = agent.describe();
  if (instructions === undefined) return rest;
  const text = typeof instructions === "string" ? instructions : instructions.map(textOf).join("\n\n");
  return { ...rest, instructions: text };
}

function textOf({ contentBlocks }: { readonly contentBlocks: readonly object[] }): string {
  return contentBlocks.map((block) => ("text" in block && typeof block.text === "string" ? block.text : "")).join("");
}

/** The tools of each agent and tools node, by the path of the graph that they are in. */
export function toolsOf(info: GraphInfo, path = ""): Record<string, readonly ToolView[]> {
  const found: Record<string, readonly ToolView[]> = {};
  for (const { key, tools, graph } of info.nodes) {
    if (tools !== undefined) found[path] = [...(found[path] ?? []), ...tools];
    if (graph !== undefined) Object.assign(found, toolsOf(graph, path === "" ? key : `${path}/${key}`));
  }
  return found;
}

const sameName = (name: string, one: string, other: string): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `apps.${one} and apps.${other} of viewer have the same name (${JSON.stringify(name)}) and the same store, so their runs cannot be told apart. Compile one of them with another name.`,
  );
