import type { TraceNode, TraceUsage } from "../callbacks/trace.js";
import type { ErrorView, SpanView, UsageView } from "./api.js";
import { fieldsOf, type WireOptions, wireView, withoutSecrets } from "./wire-value.js";

/** What a span costs, if the model has a price. */
export type PriceOf = (model: string, usage: TraceUsage) => number | undefined;

export interface SpanOptions extends Pick<WireOptions, "redact" | "limit"> {
  readonly priceOf?: PriceOf | undefined;
}

/** The spans of a recorded tree: the root and all below it, parents first. `segment` is the index of its start or resume. */
export function spanViews(root: TraceNode, segment: number, options: SpanOptions): SpanView[] {
  const spans: SpanView[] = [];
  const visit = (node: TraceNode, parent: string | undefined): void => {
    spans.push(spanView(node, parent, root.address, segment, options));
    for (const child of node.children) visit(child, node.id);
  };
  visit(root, undefined);
  return spans;
}

function spanView(
  node: TraceNode,
  parent: string | undefined,
  rootAddress: string,
  segment: number,
  options: SpanOptions,
): SpanView {
  const { id, name, component, type, address, startedAt, durationMs, running, input, output, error } = node;
  const { path, tool, toolCallId, item } = placeOf(address, rootAddress);
  const at = [path === "" ? name : path, ...(tool === undefined ? [] : [tool])];
  const wire = (value: unknown, what: string) => wireView(value, { ...options, path: [...at, what] });
  const callId = node.toolCallId ?? toolCallId;
  return {
    id,
    ...(parent === undefined ? {} : { parent }),
    segment,
    path,
    ...(tool === undefined ? {} : { tool }),
    ...(callId === undefined ? {} : { toolCallId: callId }),
    ...(item === undefined ? {} : { item }),
    name,
    component,
    ...(type === "" ? {} : { type }),
    address,
    status: statusOf(node),
    startedAt,
    ...(running === true ? {} : { endedAt: startedAt + durationMs }),
    ...(node.attempt === undefined ? {} : { attempt: node.attempt }),
    ...(input === undefined ? {} : { input: wire(input, "input") }),
    ...(output === undefined ? {} : { output: wire(output, "output") }),
    ...(error === undefined ? {} : { error: errorView(wire(error, "error").value) }),
    ...(node.model === undefined ? {} : { model: node.model }),
    ...(node.usage === undefined ? {} : { usage: usageView(node.usage, node.model, options.priceOf) }),
    ...(node.chunks === undefined ? {} : { chunks: node.chunks }),
    events: (node.events ?? []).map(({ at: time, kind, ...rest }) => ({ at: time, kind, value: wire(rest, "event") })),
    ...(node.graph === undefined ? {} : { graph: node.graph }),
  };
}

function statusOf({ error, interrupt, running }: TraceNode): SpanView["status"] {
  if (error !== undefined) return "failed";
  if (interrupt !== undefined) return "waiting";
  return running === true ? "running" : "done";
}

interface Place {
  readonly path: string;
  readonly tool: string | undefined;
  readonly toolCallId: string | undefined;
  readonly item: number | undefined;
}

/** Where a span ran in the graph of its root. What runs inside a tool call stands at the call. */
export function placeOf(address: string, rootAddress: string): Place {
  const keys: string[] = [];
  let item: number | undefined;
  if (!address.startsWith(`${rootAddress};`)) return { path: "", tool: undefined, toolCallId: undefined, item };
  for (const part of address.slice(rootAddress.length + 1).split(";")) {
    const [kind, first = "", second] = part.split(":");
    if (kind === "node") keys.push(decoded(part.slice(5)));
    else if (kind === "item") item = Number(first);
    else if (kind === "tool") {
      const toolCallId = second === undefined ? undefined : decoded(part.slice(kind.length + first.length + 2));
      return { path: keys.join("/"), tool: decoded(first), toolCallId, item };
    }
  }
  return { path: keys.join("/"), tool: undefined, toolCallId: undefined, item };
}

function decoded(part: string): string {
  return part.replaceAll(/%25|%3B|%3A/gi, decodeURIComponent);
}

function usageView(usage: TraceUsage, model: string | undefined, priceOf: PriceOf | undefined): UsageView {
  const { promptTokens, completionTokens, cachedTokens = 0 } = usage;
  const counts = { promptTokens, completionTokens, cachedTokens };
  if (priceOf === undefined || model === undefined) return counts;
  const cost = priceOf(model, usage);
  return cost === undefined ? { ...counts, unpriced: [model] } : { ...counts, cost };
}

/** The usage of several spans as one. */
export function totalUsage(usages: readonly UsageView[]): UsageView | undefined {
  if (usages.length === 0) return undefined;
  const sum = (read: (usage: UsageView) => number): number => usages.reduce((total, usage) => total + read(usage), 0);
  const costs = usages.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const unpriced = [...new Set(usages.flatMap((usage) => usage.unpriced ?? []))];
  return {
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    ...(costs.length === 0 ? {} : { cost: costs.reduce((total, cost) => total + cost, 0) }),
    ...(unpriced.length === 0 ? {} : { unpriced }),
  };
}

/** An error as it is shown: with its causes, without its stack. */
export function errorView(error: unknown): ErrorView {
  if (typeof error !== "object" || error === null) return { name: "Error", message: withoutSecrets(String(error)) };
  const { name, message, code, cause, nodePath } = fieldsOf(error);
  return {
    name: typeof name === "string" ? name : "Error",
    message: withoutSecrets(typeof message === "string" ? message : ""),
    ...(typeof code === "string" ? { code } : {}),
    ...(Array.isArray(nodePath) ? { nodePath: nodePath.map(String) } : {}),
    ...(cause === undefined ? {} : { cause: errorView(cause) }),
  };
}
