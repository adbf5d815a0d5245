import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { Handler } from "kumiko";
import { otelTracer } from "kumiko/otel";

/** Spans on their way to a collector. */
export interface Spans {
  readonly handler: Handler;
  /** Sends what is left, and says how that went. */
  finish(): Promise<string>;
}

/** Sends spans over OTLP/HTTP to a collector, such as `http://localhost:4318`. */
export function sendSpans(given: string): Spans {
  const base = new URL(given);
  const url = base.pathname === "/" ? new URL("/v1/traces", base).href : base.href;
  const exporter = new OTLPTraceExporter({ url });
  let sent = 0;
  let failure: string | undefined;
  const counting: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === 0) sent += spans.length;
        else failure = result.error?.message ?? "the collector refused them";
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(counting)] });
  return {
    handler: otelTracer({ tracer: provider.getTracer("kumiko-demo") }),
    finish: async () => {
      await provider.shutdown().catch((error: unknown) => {
        failure ??= String(error);
      });
      return failure === undefined ? `${sent} spans sent to ${url}` : `not sent to ${url}: ${failure}`;
    },
  };
}
