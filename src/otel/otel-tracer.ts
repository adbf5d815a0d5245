import { atCall } from "../callbacks/at-call.js";
import type { Handler } from "../callbacks/handler.js";
import type { RunInfo } from "../callbacks/run-info.js";
import { type SelectiveHandler, type StreamTiming, takesStreamOf } from "../callbacks/stream-needs.js";
import { isInterrupt } from "../checkpoint/pause/interrupt.js";
import { messageOf } from "../errors.js";
import { isFields } from "../is.js";
import type { StreamReader } from "../schema/stream/reader.js";
import {
  type Attributes,
  type AttributeValue,
  activeContext,
  hasContextManager,
  registeredTracer,
  type Tracer,
  unrecordedSpan,
} from "./api.js";
import { attempt } from "./attempt.js";
import { chatEnd } from "./chat.js";
import { Content } from "./content.js";
import { errorType, httpStatus } from "./errors.js";
import { inContext, startWithin } from "./in-context.js";
import { Instruments } from "./instruments.js";
import { mcpRequestForm } from "./mcp-request.js";
import { checkOtelOptions, type OtelTracerOptions } from "./otel-options.js";
import { RunSpan } from "./run-span.js";
import { endForm, formOf, hasSpan, isChat, isContainer, isUnknownTool, metaOf } from "./span-form.js";
import { costAttributes, usageAttributes } from "./usage-totals.js";

/**
 * Creates a handler that records runs as OpenTelemetry spans and metrics, by the GenAI conventions: `chat`, `execute_tool`,
 * `invoke_agent`, `invoke_workflow`, `embeddings`, `retrieval`. Spans are nested like the runs, and a root run is a child of the
 * active span. Spans of graphs and agents have the sum of their tokens. Messages are recorded only with the option `content`.
 *
 * @example
 * const runtime = new Runtime({ callbacks: [otelTracer({ prices: { "openai/gpt-5": { input: 1.25, output: 10 } } })] });
 */
export function otelTracer(options: OtelTracerOptions = {}): Handler {
  checkOtelOptions(options);
  return new OtelTracer(options);
}

/** The kinds of questions that the library asks. */
const questionKinds: readonly string[] = [
  ...["tool_approval", "client_tool", "tool_suspended", "step_suspended", "before_after", "requested"],
  ...["mcp_approval", "mcp_elicitation", "mcp_sampling"],
];

/** Stands for the span of a run that is not recorded. */
const notRecorded = Symbol("notRecorded");

class OtelTracer implements SelectiveHandler {
  readonly #given: Tracer | undefined;
  readonly #instruments: Instruments;
  readonly #content: Content;
  readonly #allNodes: boolean;
  readonly #prices: OtelTracerOptions["prices"];

  constructor({ tracer, meter, content = false, allNodes = false, prices }: OtelTracerOptions) {
    this.#given = tracer;
    this.#instruments = new Instruments(meter);
    this.#content = new Content(content);
    this.#allNodes = allNodes;
    this.#prices = prices;
  }

  /** Takes a stream only for answers of models, to measure the time to the first chunk; otherwise the value. */
  [takesStreamOf](timing: StreamTiming, info: RunInfo): boolean {
    return timing === "onEndWithStreamOutput" && isChat(info);
  }

  onStart(info: RunInfo, value: unknown, outer: unknown): unknown {
    if (outer === notRecorded) return notRecorded;
    const parent = outer instanceof RunSpan ? outer : undefined;
    if (parent === undefined && !this.#isEnabled) return notRecorded;
    if (!hasSpan(info, this.#allNodes)) return parent;
    return attempt(() => this.#start(info, value, parent)) ?? parent ?? notRecorded;
  }

  onEnd(info: RunInfo, value: unknown, span: unknown): void {
    if (!this.#owns(info, span)) return;
    if (isChat(info)) this.#endChat(info, isFields(value) ? value.message : undefined, span);
    else span.end(() => this.#finish(info, value, span));
  }

  onEndWithStreamOutput(info: RunInfo, stream: StreamReader<unknown>, span: unknown): void {
    if (!this.#owns(info, span)) {
      void stream.cancel();
      return;
    }
    const seconds = (performance.now() - span.startedAt) / 1_000;
    span.setAttributes({ "gen_ai.request.stream": true, "gen_ai.response.time_to_first_chunk": seconds });
    attempt(() =>
      this.#instruments.recordDuration(
        "gen_ai.client.operation.time_to_first_chunk",
        seconds * 1_000,
        span.form.dimensions,
      ),
    );
    span.parent?.beginReading();
    void stream
      .concat()
      .then((value) => (isFields(value) ? value.message : undefined))
      // a failed stream has called onError already; one that cannot be concatenated still ends here
      .catch(() => undefined)
      .then((message) => this.#endChat(info, message, span))
      .finally(() => span.parent?.endReading());
  }

  onError(info: RunInfo, error: unknown, span: unknown): void {
    if (!this.#owns(info, span)) return;
    const type = errorType(error);
    span.end(() => {
      span.setError(type, this.#content.text(messageOf(error), "exception.message"));
      const status = isChat(info) ? httpStatus(error) : undefined;
      if (status !== undefined) span.setAttributes({ "http.response.status_code": status });
      this.#finish(info, undefined, span, { "error.type": type });
    });
  }

  /** An interrupted run has not failed, so its status stays unset. */
  onInterrupt(info: RunInfo, interrupt: unknown, span: unknown): void {
    if (!this.#owns(info, span)) return;
    const interrupts = isInterrupt(interrupt) ? interrupt.interrupts : [];
    for (const { id, address, info: asked } of interrupts) {
      const kind = this.#kindOf(asked);
      span.addEvent("interrupt", {
        "kumiko.interrupt.id": id,
        "kumiko.interrupt.address": address,
        ...(kind !== undefined && { "kumiko.interrupt.kind": kind }),
      });
    }
    if (interrupts.length === 0) span.addEvent("interrupt", {});
    span.end(() => this.#finish(info, undefined, span));
  }

  /** The kind of a question: one of the library's, or if content is recorded, what else stands there. */
  #kindOf(asked: unknown): string | undefined {
    const kind = isFields(asked) ? asked.kind : undefined;
    if (typeof kind !== "string") return undefined;
    return questionKinds.includes(kind) ? kind : this.#content.text(kind, "kumiko.interrupt.kind");
  }

  /** Adds an event to the span of its run, or if that has ended, to the nearest outer span that has not. */
  onEvent(info: RunInfo, event: unknown, nearest: unknown): void {
    if (!(nearest instanceof RunSpan) || !isFields(event) || typeof event.kind !== "string") return;
    const { kind } = event;
    if (kind === "progress") return;
    let span: RunSpan | undefined = nearest;
    while (span?.isEnded === true) span = span.parent;
    if (span !== undefined) attempt(() => span.addEvent(kind, eventAttributes(info, event, this.#content)));
  }

  /** Whether a span belongs to this run, and not to an outer one. */
  #owns(info: RunInfo, span: unknown): span is RunSpan {
    return span instanceof RunSpan && hasSpan(info, this.#allNodes) && !span.isEnded;
  }

  /** Whether spans or metrics are recorded. Without a registered SDK, a run costs no more than this check. */
  get #isEnabled(): boolean {
    return this.#given !== undefined || this.#instruments.isEnabled || registeredTracer() !== undefined;
  }

  /**
   * The parent of a stream's root is what is active where it was asked for. The function of a node, a tool or a model runs in the
   * context of its span, or of the nearest one around it, so that spans of others become its children.
   */
  [atCall]<Args extends unknown[], Started>(
    start: (...args: Args) => Started,
    span?: unknown,
  ): (...args: Args) => Started {
    if (span === undefined) {
      const active = attempt(activeContext);
      return active === undefined ? start : (...args) => startWithin(active, () => start(...args));
    }
    return span instanceof RunSpan && hasContextManager() ? inContext(span.context, start) : start;
  }

  #start(info: RunInfo, value: unknown, parent: RunSpan | undefined): RunSpan {
    const outer = parent === undefined ? activeContext() : parent.context;
    const form = formOf(info, value);
    const { threadId } = metaOf(info);
    const conversationId = typeof threadId === "string" ? threadId : parent?.conversationId;
    const attributes = {
      ...form.dimensions,
      ...form.attributes,
      ...(conversationId === undefined ? {} : { "gen_ai.conversation.id": conversationId }),
    };
    const tracer = this.#given ?? registeredTracer();
    const span = tracer?.startSpan(form.name, { kind: form.kind, attributes }, outer) ?? unrecordedSpan(outer);
    const run = new RunSpan(span, outer, parent, { form, isContainer: isContainer(info), conversationId });
    if (info.component === "model" && parent !== undefined) parent.hasInnerModel = true;
    this.#addContent(run, form.content);
    return run;
  }

  #endChat(info: RunInfo, message: unknown, run: RunSpan): void {
    if (run.isEnded) return;
    const end = chatEnd(message, info);
    run.end(() => {
      run.setAttributes(end.attributes);
      const { dimensions } = run.form;
      const responseModel = end.responseModel === undefined ? {} : { "gen_ai.response.model": end.responseModel };
      if (end.usage !== undefined && !run.hasInnerModel)
        this.#count(run, end.usage, { ...dimensions, ...responseModel });
      this.#addContent(run, () => end.content);
      this.#record(run, responseModel);
    });
  }

  /** Adds the tokens of an answer to its span, to all outer runs and to the metrics. */
  #count(run: RunSpan, { model, tokens }: NonNullable<ReturnType<typeof chatEnd>["usage"]>, dimensions: Attributes) {
    run.setAttributes({ ...usageAttributes(tokens), ...costAttributes(model, tokens, this.#prices) });
    for (let outer = run.parent; outer !== undefined; outer = outer.parent) outer.totals?.add(model, tokens);
    const counts = { input: tokens.promptTokens, output: tokens.completionTokens } as const;
    for (const type of ["input", "output"] as const) {
      if (counts[type] !== undefined) attempt(() => this.#instruments.recordTokens(type, counts[type], dimensions));
    }
  }

  /** Sets the last attributes of a run that is not a model answer. */
  #finish(info: RunInfo, value: unknown, run: RunSpan, more: Attributes = {}): void {
    if (value !== undefined) {
      const { attributes, content } = endForm(info, value);
      run.setAttributes(attributes);
      this.#addContent(run, () => content);
    }
    if (info.component === "tool") this.#addRequests(info, run);
    const { totals } = run;
    if (totals !== undefined) run.setAttributes(totals.attributes(this.#prices));
    this.#record(run, more);
  }

  /** Adds the attributes of its MCP requests to a tool call: by the conventions, they have no spans of their own. */
  #addRequests(info: RunInfo, call: RunSpan): void {
    const { requests } = metaOf(info);
    for (const request of Array.isArray(requests) ? requests.filter(isFields) : []) {
      const { attributes, dimensions, milliseconds } = mcpRequestForm(request);
      call.setAttributes(attributes);
      attempt(() => this.#instruments.recordDuration("mcp.client.operation.duration", milliseconds, dimensions));
    }
  }

  #record({ form, startedAt }: RunSpan, more: Attributes): void {
    const { metric, dimensions } = form;
    if (metric === undefined) return;
    const milliseconds = performance.now() - startedAt;
    attempt(() => this.#instruments.recordDuration(metric, milliseconds, { ...dimensions, ...more }));
  }

  /** Adds content attributes to a span, if it is recorded. */
  #addContent(run: RunSpan, content: () => ReturnType<typeof endForm>["content"]): void {
    if (!this.#content.isWanted || attempt(() => run.span.isRecording()) !== true) return;
    const attributes = attempt(() => this.#content.attributes(content()));
    if (attributes !== undefined) run.setAttributes(attributes);
  }
}

/** The string fields of events that are safe to send, because they have no content. */
const safeFields: readonly string[] = ["operation", "reason", "targets", "toolName", "callId"];

/**
 * The attributes of an event: its address, numbers, safe strings and its error. The address is needed because the event may be on
 * the span of an outer run.
 */
function eventAttributes(
  info: RunInfo,
  { kind: _, error, ...fields }: Readonly<Record<string, unknown>>,
  content: Content,
): Attributes {
  const attributes: Record<string, AttributeValue> = { "kumiko.address": safeAddress(info) };
  for (const [name, value] of Object.entries(fields)) {
    if (isSent(name, value)) attributes[`kumiko.${name}`] = value;
  }
  if (error === undefined) return attributes;
  const message = content.text(messageOf(error), "exception.message");
  return {
    ...attributes,
    "error.type": errorType(error),
    ...(message !== undefined && { "exception.message": message }),
  };
}

/** The address of a call of an unknown tool ends with what the model wrote. */
function safeAddress(info: RunInfo): string {
  return isUnknownTool(info) ? info.address.replace(/;tool:[^;]*$/, ";tool") : info.address;
}

function isSent(name: string, value: unknown): value is AttributeValue {
  if (typeof value === "number" || typeof value === "boolean") return true;
  if (!safeFields.includes(name)) return false;
  return typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"));
}
