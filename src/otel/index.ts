export type { OtelTracerOptions, Redact } from "./otel-options.js";
export { otelTracer } from "./otel-tracer.js";
