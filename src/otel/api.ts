/** The parts of the OpenTelemetry API that are used. It is a peer dependency. */
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
