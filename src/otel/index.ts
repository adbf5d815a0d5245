/** Traces and metrics of OpenTelemetry. Needs the package `@opentelemetry/api`. @packageDocumentation */

export type { OtelTracerOptions, Redact } from "./otel-options.js";
export { otelTracer } from "./otel-tracer.js";
