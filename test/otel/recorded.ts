import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { Handler } from "kumiko";
import { type OtelTracerOptions, otelTracer } from "kumiko/otel";

/** A tracer on a real SDK that keeps in memory what it is told. */
export interface Recorded {
  readonly handler: Handler;
  /** In the order in which they ended. */
  spans(): ReadableSpan[];
  span(name: string): ReadableSpan;
  /** The spans as a tree of names, children in the order of their starts. */
  tree(): string[];
  metrics(): Promise<Record<string, DataPoint<Histogram>[]>>;
}

export function record(options: OtelTracerOptions = {}): Recorded {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const handler = otelTracer({ tracer: provider.getTracer("test"), meter: meters.getMeter("test"), ...options });
  const spans = () => exporter.getFinishedSpans();
  return {
    handler,
    spans,
    span(name) {
      const found = spans().filter((span) => span.name === name);
      if (found.length !== 1)
        throw new Error(`${found.length} spans are named "${name}", of ${spans().map((s) => s.name)}`);
      return found[0] as ReadableSpan;
    },
    tree: () => treeOf(spans()),
    async metrics() {
      await meters.forceFlush();
      const points: Record<string, DataPoint<Histogram>[]> = {};
      for (const { scopeMetrics } of metricExporter.getMetrics().slice(-1)) {
        for (const metric of scopeMetrics.flatMap(({ metrics }) => metrics)) {
          points[metric.descriptor.name] = metric.dataPoints as DataPoint<Histogram>[];
        }
      }
      await meters.shutdown();
      return points;
    },
  };
}

function treeOf(spans: readonly ReadableSpan[]): string[] {
  const inOrder = [...spans].sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const lines: string[] = [];
  const add = (parent: string | undefined, indent: string): void => {
    for (const span of inOrder) {
      const own = span.parentSpanContext?.spanId;
      const isHere = parent === undefined ? own === undefined || !ids.has(own) : own === parent;
      if (!isHere) continue;
      lines.push(`${indent}${span.name}`);
      add(span.spanContext().spanId, `${indent}  `);
    }
  };
  add(undefined, "");
  return lines;
}
