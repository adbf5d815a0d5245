/** All that is used of OpenTelemetry, which programs bring themselves. */
export type { Attributes, AttributeValue, Context, Histogram, Meter, Span, Tracer } from "@opentelemetry/api";
export {
  context,
  createNoopMeter,
  diag,
  metrics,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
