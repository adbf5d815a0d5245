import type { ComponentKind } from "../../callbacks/component-kind.js";
import type { TraceChunks, TraceUsage } from "../../callbacks/trace.js";
import { costOf, type ModelPrice } from "../../models/cost-of.js";
import type { ErrorView, SpanView, UsageView, WireValue } from "../api.js";
import type { ValueViews } from "./value-views.js";

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
  readonly input: WireValue | undefined;
  readonly output: WireValue | undefined;
  readonly error: ErrorView | undefined;
  readonly chunks: TraceChunks | undefined;
  readonly usage: TraceUsage | undefined;
  readonly model: string | undefined;
  readonly attempt: number | undefined;
  readonly events: readonly { readonly at: number; readonly kind: string; readonly value: WireValue }[];
  readonly graph?: string | undefined;
}

export interface SpanSettings {
  readonly segment: number;
  readonly values: ValueViews;
  readonly prices: Readonly<Record<string, ModelPrice>> | undefined;
}

export function spanView(span: SpanSource, { segment, values, prices }: SpanSettings): SpanView {
  const { id, parentId, name, component, type, address, toolCallId, status, startedAt, endedAt } = span;
  const { input, output, error, chunks, usage, model, attempt, graph } = span;
  return {
    id,
    ...(parentId !== undefined && { parent: parentId }),
    segment,
    ...placeOf(address),
    ...(toolCallId !== undefined && { toolCallId }),
    name,
    component,
    ...(type !== "" && { type }),
    address,
    status,
    startedAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(attempt !== undefined && { attempt }),
    ...(input !== undefined && { input: values.view(input) }),
    ...(output !== undefined && { output: values.view(output) }),
    ...(error !== undefined && { error }),
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage: usageView([{ model: model ?? "", usage }], prices) }),
    ...(chunks !== undefined && { chunks }),
    events: span.events.map(({ at, kind, value }) => ({ at, kind, value: values.view(value) })),
    ...(graph !== undefined && { graph }),
  };
}

/** Where an address is in the graph of its run: the keys of nodes, up to the first tool or child run. */
export function placeOf(address: string): Pick<SpanView, "path" | "tool" | "item"> {
  const keys: string[] = [];
  let item: number | undefined;
  for (const part of address.split(";").slice(1)) {
    const [kind = "", rest = ""] = [part.slice(0, part.indexOf(":")), part.slice(part.indexOf(":") + 1)];
    if (kind === "node") keys.push(decoded(rest));
    else if (kind === "item") item = Number(rest);
    else if (kind === "tool")
      return { path: keys.join("/"), tool: decoded(rest.split(":")[0] ?? ""), ...withItem(item) };
    else break;
  }
  return { path: keys.join("/"), ...withItem(item) };
}

function withItem(item: number | undefined): { readonly item?: number } {
  return item === undefined ? {} : { item };
}

function decoded(part: string): string {
  return part.replaceAll(/%25|%3A|%3B/gi, decodeURIComponent);
}

/** The sum of what models have used, and what it has cost as far as there are prices. */
export function usageView(
  used: readonly { readonly model: string; readonly usage: TraceUsage }[],
  prices: Readonly<Record<string, ModelPrice>> | undefined,
): UsageView {
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
