import type {
  Context,
  ContextManager,
  DiagLogger,
  Meter,
  MeterProvider,
  Span,
  SpanContext,
  Tracer,
  TracerProvider,
} from "@opentelemetry/api";

export type { Attributes, AttributeValue, Context, Histogram, Meter, Span, Tracer } from "@opentelemetry/api";

/**
 * The part of OpenTelemetry that an SDK registers, which every copy of `@opentelemetry/api` 1.x keeps in the same place. It is read
 * there, so that this entry can be imported, and bundled, without that package.
 */
interface Registered {
  readonly context?: ContextManager;
  readonly trace?: TracerProvider & { getDelegateTracer?(name: string): Tracer | undefined };
  readonly metrics?: MeterProvider;
  readonly diag?: DiagLogger;
}

const registryKey = Symbol.for("opentelemetry.js.api.1");
const nothing: Registered = {};
const registered = (): Registered => (Reflect.get(globalThis, registryKey) as Registered | undefined) ?? nothing;

// the numbers of the enums of the API
export const spanKinds = { internal: 0, client: 2 } as const;
export const statusError = 2;

/** The tracer of the SDK that is currently registered, if there is one. */
export function registeredTracer(): Tracer | undefined {
  const provider = registered().trace;
  if (provider === undefined) return undefined;
  return provider.getDelegateTracer === undefined ? provider.getTracer("kumiko") : provider.getDelegateTracer("kumiko");
}

export function registeredMeters(): MeterProvider | undefined {
  return registered().metrics;
}

/** Whether a meter records nothing: that of a provider without an SDK. */
export const isNoopMeter = (meter: Meter): boolean => meter.constructor?.name === "NoopMeter";

/** Reports an error to the logger that was set with `diag.setLogger`. */
export function reportError(message: string, error: unknown): void {
  registered().diag?.error(message, error);
}

/** A context without values, and one with the values that are set. */
class PlainContext implements Context {
  readonly #values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown>) {
    this.#values = values;
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return new PlainContext(new Map(this.#values).set(key, value));
  }

  deleteValue(key: symbol): Context {
    const values = new Map(this.#values);
    values.delete(key);
    return new PlainContext(values);
  }
}

const rootContext: Context = new PlainContext(new Map());

export function activeContext(): Context {
  return registered().context?.active() ?? rootContext;
}

/** Runs a function while a context is the active one. */
export function withContext(context: Context, work: () => void): void {
  const manager = registered().context;
  if (manager === undefined) work();
  else manager.with(context, work);
}

/** Whether something keeps the active context, also across promises: for Node.js, `AsyncLocalStorageContextManager`. */
export const hasContextManager = (): boolean => registered().context !== undefined;

/** The key of the span in a context, shared by all copies of the API. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

export const withSpan = (context: Context, span: Span): Context => context.setValue(spanKey, span);

/** A span that records nothing, where only metrics are recorded. Inner spans of an SDK still belong to the span around it. */
export function unrecordedSpan(outer: Context): Span {
  const span = outer.getValue(spanKey) as Span | undefined;
  return new UnrecordedSpan(span?.spanContext() ?? noSpanContext);
}

const noSpanContext: SpanContext = { traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 };

class UnrecordedSpan implements Span {
  readonly #spanContext: SpanContext;

  constructor(spanContext: SpanContext) {
    this.#spanContext = spanContext;
  }

  spanContext(): SpanContext {
    return this.#spanContext;
  }

  setAttribute(): this {
    return this;
  }

  setAttributes(): this {
    return this;
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  setStatus(): this {
    return this;
  }

  updateName(): this {
    return this;
  }

  end(): void {}

  isRecording(): boolean {
    return false;
  }

  recordException(): void {}
}
