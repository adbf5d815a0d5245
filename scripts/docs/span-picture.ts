// Writes the picture of docs/traces-elsewhere.md anew: the spans of one run as they are exported. npm run pictures:spans.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { type AgenticMessage, assistantMessage, createTool, functionToolCall, Runtime } from "kumiko";
import { createAgent } from "kumiko/agents";
import { otelTracer } from "kumiko/otel";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

const file = join(import.meta.dirname, "../../docs/guides/pictures/exported-spans.svg");
const width = 760;
const row = 28;
const bars = { from: 300, to: width - 90 };

writeFileSync(file, draw(await record()));

async function record(): Promise<readonly ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const prices = { "openai/gpt-5": { input: 1.25, output: 10 } };
  const runtime = new Runtime({ callbacks: [otelTracer({ tracer: provider.getTracer("shop"), prices })] });
  const answer =
    (ms: number, content: AgenticMessage["contentBlocks"] | string, tokens: [number, number]) => async () => {
      await wait(ms);
      const [promptTokens, completionTokens] = tokens;
      const tokenUsage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
      return assistantMessage(content, { responseMeta: { model: "openai/gpt-5", tokenUsage } });
    };
  const call = (name: string) => functionToolCall({ callId: name, name, arguments: '{"order":7}' });
  const tool = (id: string, ms: number) =>
    createTool({
      id,
      description: id,
      inputSchema: z.object({ order: z.number() }),
      execute: async () => wait(ms, "done"),
    });
  const model = scriptedModel(
    answer(620, [call("find_order"), call("find_parcel")], [310, 42]),
    answer(880, "It arrives today.", [420, 12]),
  );
  const tools = [tool("find_order", 140), tool("find_parcel", 390)];
  await createAgent({ name: "desk", model, tools, runtime }).generate("Where is my parcel?");
  return exporter.getFinishedSpans();
}

function draw(spans: readonly ReadableSpan[]): string {
  const root = spans.find(({ parentSpanContext }) => parentSpanContext === undefined);
  if (root === undefined) throw new Error("No span has no parent.");
  const [start, whole] = [millis(root.startTime), millis(root.duration)];
  const rows = inOrder(spans, root, 0);
  const height = rows.length * row + 24;
  const at = (ms: number) => Math.round(bars.from + (ms / whole) * (bars.to - bars.from));
  const lines = rows.map(({ span, depth }, index) => {
    const y = 12 + index * row;
    const from = at(millis(span.startTime) - start);
    const to = Math.max(from + 3, at(millis(span.startTime) - start + millis(span.duration)));
    const color = span.name.startsWith("chat") ? "#3f7d5c" : span.name.startsWith("execute") ? "#b06a2c" : "#5c574e";
    const { "gen_ai.usage.input_tokens": read, "gen_ai.usage.output_tokens": written } = span.attributes;
    const tokens = read === undefined ? "" : ` · ${read} → ${written} tokens`;
    return [
      text(16 + depth * 18, y + 18, `${span.name}`, "#2b2924"),
      `<rect x="${from}" y="${y + 5}" width="${to - from}" height="18" rx="4" fill="${color}"/>`,
      tokens === "" || to - from < 118 ? "" : text(from + 8, y + 18, tokens.slice(3), "#ffffff"),
      text(bars.to + 10, y + 18, `${Math.round(millis(span.duration))} ms`, "#5c574e"),
    ].join("\n");
  });
  return `<svg role="img" xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>The spans of one run of an agent</title>
<path d="M0 0H${width}V${height}H0z" fill="#faf9f6"/>
${lines.join("\n")}
</svg>
`;
}

function inOrder(
  spans: readonly ReadableSpan[],
  span: ReadableSpan,
  depth: number,
): { span: ReadableSpan; depth: number }[] {
  const children = spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === span.spanContext().spanId)
    .sort((a, b) => millis(a.startTime) - millis(b.startTime));
  return [{ span, depth }, ...children.flatMap((child) => inOrder(spans, child, depth + 1))];
}

function millis([seconds, nanos]: readonly [number, number]): number {
  return seconds * 1_000 + nanos / 1_000_000;
}

function text(x: number, y: number, content: string, fill: string): string {
  return `<text x="${x}" y="${y}" fill="${fill}" font-family="JetBrains Mono, ui-monospace, SF Mono, Menlo, Consolas, monospace" font-size="12">${content}</text>`;
}
