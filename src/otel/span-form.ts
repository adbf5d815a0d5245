import type { RunInfo } from "../callbacks/run-info.js";
import { type Fields, isFields } from "../is.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { type Attributes, spanKinds } from "./api.js";
import { chatInput, chatOptions, chatStartAttributes, isWrapper, parseModelName } from "./chat.js";
import { inputContent, outputContent } from "./content.js";
import type { DurationMetric } from "./instruments.js";

/** The span of a kind of run when it starts, by the semantic conventions. */
export interface SpanForm {
  readonly name: string;
  readonly kind: (typeof spanKinds)[keyof typeof spanKinds];
  /** The attributes of both the span and the metrics. */
  readonly dimensions: Attributes;
  readonly attributes: Attributes;
  readonly metric: DurationMetric | undefined;
  /** The content by attribute; computed only if content is recorded. */
  readonly content: () => Fields;
}

/** The components with spans in the semantic conventions. `agent` is one made with `kumiko/agents`. */
const known = new Set(["model", "tool", "agent", "graph", "chain", "workflow", "embedder", "retriever"]);
const containers = new Set(["agent", "graph", "chain", "workflow"]);

/** Whether a run has a span of its own. Otherwise inner runs are children of the outer span. */
export function hasSpan(info: RunInfo, allNodes: boolean): boolean {
  return allNodes || (known.has(info.component) && !isWrapper(info));
}

/** Whether a run contains other runs, whose tokens it sums up. */
export function isContainer({ component }: RunInfo): boolean {
  return containers.has(component);
}

/** Whether a run is a model call. */
export function isChat(info: RunInfo): boolean {
  return info.component === "model" && !isWrapper(info);
}

export function formOf(info: RunInfo, value: unknown): SpanForm {
  if (isChat(info)) return chatForm(info, value);
  const component: string = info.component;
  switch (component) {
    case "tool":
      return toolForm(info, value);
    case "agent":
      return agentForm(info, value);
    case "graph":
    case "chain":
    case "workflow":
      return workflowForm(info);
    case "embedder":
      return embedderForm(info);
    case "retriever":
      return retrieverForm(info, value);
    default:
      return nodeForm(info);
  }
}

function chatForm(info: RunInfo, value: unknown): SpanForm {
  const options = chatOptions(value);
  const { provider, model: own } = parseModelName(info.type);
  const model = typeof options.model === "string" ? options.model : own;
  return {
    name: named("chat", model),
    kind: spanKinds.client,
    dimensions: withoutUndefined({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
    }),
    attributes: chatStartAttributes(options),
    metric: "gen_ai.client.operation.duration",
    content: () => chatInput(value),
  };
}

/** Whether a model called a tool that does not exist. Its name is whatever the model wrote, and so is content. */
export function isUnknownTool(info: RunInfo): boolean {
  return info.component === "tool" && !("description" in metaOf(info));
}

function toolForm(info: RunInfo, value: unknown): SpanForm {
  const { toolCallId } = info;
  const { description } = metaOf(info);
  const isUnknown = isUnknownTool(info);
  const name = isUnknown ? "_OTHER" : info.name;
  return {
    name: isUnknown ? "execute_tool" : named("execute_tool", name),
    kind: spanKinds.internal,
    dimensions: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name },
    attributes: withoutUndefined({
      "gen_ai.tool.type": "function",
      "gen_ai.tool.description": typeof description === "string" && description !== "" ? description : undefined,
      "gen_ai.tool.call.id": toolCallId,
    }),
    metric: "gen_ai.execute_tool.duration",
    content: () => ({
      "gen_ai.tool.name": isUnknown ? info.name : undefined,
      "gen_ai.tool.call.arguments": isFields(value) ? value.arguments : undefined,
    }),
  };
}

function agentForm(info: RunInfo, value: unknown): SpanForm {
  const { description, name } = metaOf(info);
  const agent = typeof name === "string" ? name : info.name;
  return {
    name: named("invoke_agent", agent),
    kind: spanKinds.internal,
    dimensions: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent },
    attributes: typeof description === "string" ? { "gen_ai.agent.description": description } : {},
    metric: "gen_ai.invoke_agent.duration",
    content: () => inputContent(value),
  };
}

function workflowForm({ name }: RunInfo): SpanForm {
  return {
    name: named("invoke_workflow", name),
    kind: spanKinds.internal,
    dimensions: withoutUndefined({
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": name || undefined,
    }),
    attributes: {},
    metric: "gen_ai.workflow.duration",
    content: () => ({}),
  };
}

function embedderForm({ type }: RunInfo): SpanForm {
  const { provider, model } = parseModelName(type);
  return {
    name: named("embeddings", model),
    kind: spanKinds.client,
    dimensions: withoutUndefined({
      "gen_ai.operation.name": "embeddings",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
    }),
    attributes: {},
    metric: "gen_ai.client.operation.duration",
    content: () => ({}),
  };
}

function retrieverForm({ name }: RunInfo, value: unknown): SpanForm {
  return {
    name: "retrieval",
    kind: spanKinds.internal,
    dimensions: { "gen_ai.operation.name": "retrieval" },
    attributes: name === "" ? {} : { "gen_ai.data_source.id": name },
    metric: undefined,
    content: () => ({ "gen_ai.retrieval.query.text": value }),
  };
}

/** The span of a component without semantic conventions. */
function nodeForm({ component, name, type }: RunInfo): SpanForm {
  return {
    name: named(component, name),
    kind: spanKinds.internal,
    dimensions: {},
    attributes: withoutUndefined({ "kumiko.component": component, "kumiko.type": type || undefined }),
    metric: undefined,
    content: () => ({}),
  };
}

/** The attributes and content of the output of a run. */
export function endForm(
  { component }: RunInfo,
  value: unknown,
): { readonly attributes: Attributes; readonly content: Fields } {
  const kind: string = component;
  switch (kind) {
    case "tool":
      return { attributes: {}, content: { "gen_ai.tool.call.result": isFields(value) ? value.result : undefined } };
    case "agent":
      return { attributes: {}, content: outputContent(value) };
    case "embedder":
      return { attributes: dimensionsOf(value), content: {} };
    default:
      return { attributes: {}, content: {} };
  }
}

function dimensionsOf(vectors: unknown): Attributes {
  const [first]: readonly unknown[] = Array.isArray(vectors) ? vectors : [];
  return Array.isArray(first) ? { "gen_ai.embeddings.dimension.count": first.length } : {};
}

/** The metadata of a run, such as the thread of an agent. */
export function metaOf(info: RunInfo): Fields {
  return info.meta ?? {};
}

function named(operation: string, name: string | undefined): string {
  return name === undefined || name === "" ? operation : `${operation} ${name}`;
}
