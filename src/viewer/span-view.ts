import type { ComponentKind } from "../callbacks/component-kind.js";
import type { TraceChunks, TraceUsage } from "../callbacks/trace.js";
import { costOf, type ModelPrice } from "../models/cost-of.js";
import type { ErrorView, SpanView, UsageView, ValueView } from "./api.js";

/** A span, wherever it was recorded. Its values are masked and redacted. */
export interface SpanSource {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly component: ComponentKind;
  readonly type: string;
  readonly address: string;
  readonly toolCallId: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly status: SpanView["status"];
  readonly input: ValueView | undefined;
  readonly output: ValueView | undefined;
  readonly error: ErrorView | undefined;
  readonly chunks: TraceChunks | undefined;
  readonly usage: TraceUsage | undefined;
  readonly model: string | undefined;
  readonly attempt: number | undefined;
  readonly events: readonly { readonly at: number; readonly kind: string; readonly value: ValueView }[];
  readonly graph?: string | undefined;
}

export interface SpanSettings {
  readonly segment: number;
  /** The address of the root. */
  readonly rootAddress: string;
  /** What is shown of a value: all of it, or its beginning. */
  readonly show: (value: ValueView) => ValueView;
  readonly prices: Prices | undefined;
}

export type Prices = Readonly<Record<string, ModelPrice>>;

export function spanView(span: SpanSource, { segment, rootAddress, show, prices }: SpanSettings): SpanView {
  const { id, parentId, name, component, type, address, status, startedAt, endedAt } = span;
  const { input, output, error, chunks, usage, model, attempt, graph } = span;
  const { toolCallId, ...place } = placeOf(address, rootAddress);
  const callId = span.toolCallId ?? toolCallId;
  return {
    id,
    ...(parentId !== undefined && { parent: parentId }),
    segment,
    ...place,
    ...(callId !== undefined && { toolCallId: callId }),
    name,
    component,
    ...(type !== "" && { type }),
    address,
    status,
    startedAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(attempt !== undefined && { attempt }),
    ...(input !== undefined && { input: show(input) }),
    ...(output !== undefined && { output: show(output) }),
    ...(error !== undefined && { error }),
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage: usageView([{ model: model ?? "", usage }], prices) }),
    ...(chunks !== undefined && { chunks }),
    events: span.events.map(({ at, kind, value }) => ({ at, kind, value: show(value) })),
    ...(graph !== undefined && { graph }),
  };
}

/** Where an address is in the graph of its run: the keys of nodes, up to the first tool or child run. */
export function placeOf(
  address: string,
  rootAddress = address.split(";", 1)[0] ?? "",
): Pick<SpanView, "path" | "tool" | "toolCallId" | "item"> {
  const keys: string[] = [];
  let item: number | undefined;
  const inside = address.startsWith(`${rootAddress};`) ? address.slice(rootAddress.length + 1).split(";") : [];
  for (const part of inside) {
    const at = part.indexOf(":");
    const [kind, rest] = [part.slice(0, at), part.slice(at + 1)];
    if (kind === "node") keys.push(decoded(rest));
    else if (kind === "item") item = Number(rest);
    else if (kind === "tool") {
      const end = rest.indexOf(":");
      const call = end < 0 ? {} : { toolCallId: decoded(rest.slice(end + 1)) };
      const tool = decoded(end < 0 ? rest : rest.slice(0, end));
      return { path: keys.join("/"), tool, ...call, ...(item !== undefined && { item }) };
    } else break;
  }
  return { path: keys.join("/"), ...(item !== undefined && { item }) };
}

function decoded(part: string): string {
  return part.includes("%") ? part.replaceAll(/%25|%3A|%3B/gi, decodeURIComponent) : part;
}

/** What models have used. */
export interface Used {
  readonly model: string;
  readonly usage: TraceUsage;
}

/** The sum of what models have used, and what it has cost as far as there are prices. */
export function usageView(used: readonly Used[], prices: Prices | undefined): UsageView {
  const sum = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };
  const unpriced = new Set<string>();
  let cost: number | undefined;
  for (const { model, usage } of used) {
    sum.promptTokens += usage.promptTokens;
    sum.completionTokens += usage.completionTokens;
    sum.cachedTokens += usage.cachedTokens ?? 0;
    if (prices === undefined) continue;
    try {
      cost = (cost ?? 0) + costOf({ [model]: usage }, prices);
    } catch {
      unpriced.add(model);
    }
  }
  return { ...sum, ...(cost !== undefined && { cost }), ...(unpriced.size > 0 && { unpriced: [...unpriced] }) };
}
