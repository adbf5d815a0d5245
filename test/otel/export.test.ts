import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { metrics, trace } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { userMessage } from "kumiko";
import { otelTracer } from "kumiko/otel";
import { afterAll, beforeAll, expect, it } from "vitest";
import { agentLoop } from "./programs.js";

interface Received {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

const received: Received[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    received.push({ path: request.url ?? "", body: JSON.parse(text) });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  trace.disable();
  metrics.disable();
});

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: { readonly key: string; readonly value: Record<string, unknown> }[];
}

function sentSpans(): SentSpan[] {
  return received
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ body }) => body.resourceSpans as { scopeSpans: { spans: SentSpan[] }[] }[])
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans);
}

it("arrives at an OTLP receiver, through the SDK that is registered after the tracer was made", async () => {
  const handler = otelTracer();
  const app = agentLoop();
  const provider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }))],
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${url}/v1/metrics` }),
    exportIntervalMillis: 3_600_000,
  });
  const meters = new MeterProvider({ readers: [reader] });
  trace.setGlobalTracerProvider(provider);
  metrics.setGlobalMeterProvider(meters);
  await app.invoke([userMessage("How warm is it in Kyoto?")], { callbacks: [handler] });
  await provider.shutdown();
  await meters.shutdown();

  const spans = sentSpans();
  expect(spans.map(({ name }) => name)).toEqual([
    "chat gpt-5",
    "execute_tool get_weather",
    "chat gpt-5",
    "invoke_workflow weather",
  ]);
  const root = spans.at(-1);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans.slice(0, 3).every(({ parentSpanId }) => parentSpanId === root?.spanId)).toBe(true);
  expect(root?.attributes).toContainEqual({ key: "gen_ai.usage.input_tokens", value: { intValue: 60 } });
  const sentMetrics = JSON.stringify(received.filter(({ path }) => path === "/v1/metrics"));
  for (const name of [
    "gen_ai.client.token.usage",
    "gen_ai.client.operation.duration",
    "gen_ai.execute_tool.duration",
  ]) {
    expect(sentMetrics).toContain(`"${name}"`);
  }
});
