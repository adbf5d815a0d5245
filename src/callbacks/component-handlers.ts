import type { StreamReader } from "../schema/stream/reader.js";
import type { ComponentKind } from "./component-kind.js";
import { invalidHandlers, invalidTiming, unknownComponent } from "./errors.js";
import type { Handler, HandlerTiming } from "./handler.js";
import type { ComponentPayload, PayloadOf } from "./payloads.js";
import type { RunInfo } from "./run-info.js";
import type { SideEvent } from "./side-event.js";
import { type SelectiveHandler, takesStreamOf } from "./stream-needs.js";

/** A {@link Handler} for runs of one kind, with typed values. `Span` is the return type of its start timings. */
export interface ComponentHandler<Values extends ComponentPayload<unknown, unknown>, Span = unknown> {
  /** A run of this kind starts with this input. */
  onStart?(info: RunInfo, value: Values["start"], parentSpan: unknown): Span;
  /** A run ends with this output. */
  onEnd?(info: RunInfo, value: Values["end"], span: Span): void;
  /** A run fails. */
  onError?(info: RunInfo, error: unknown, span: Span): void;
  /** A run stops to wait for an answer. */
  onInterrupt?(info: RunInfo, interrupt: unknown, span: Span): void;
  /** A run starts with a streamed input; `stream` is a copy for this handler, to be read or cancelled. */
  onStartWithStreamInput?(info: RunInfo, stream: StreamReader<unknown>, parentSpan: unknown): Span;
  /** A run streams its output; `stream` is a copy for this handler, to be read or cancelled. */
  onEndWithStreamOutput?(info: RunInfo, stream: StreamReader<Values["chunk"]>, span: Span): void;
  /** Something happens beside inputs and outputs, such as progress or a retry. */
  onEvent?(info: RunInfo, event: SideEvent, span: Span): void;
}

/**
 * Combines handlers for different kinds of runs into one handler, with typed values.
 *
 * The third argument of a start timing is the span of the nearest enclosing run that has handlers here. Handlers without stream
 * timings get joined values, even if others here take streams.
 *
 * @example
 * const callbacks = [
 *   componentHandlers({
 *     tool: {
 *       onStart: (info, { arguments: text }) => ({ label: `${info.name}(${text})`, startedAt: Date.now() }),
 *       onEnd: (_info, { result }, span) => console.log(span.label, result, Date.now() - span.startedAt),
 *     },
 *   }),
 * ];
 */
export function componentHandlers<
  Tool = unknown,
  Model = unknown,
  Graph = unknown,
  ToolsNode = unknown,
  Chain = unknown,
  Workflow = unknown,
  Lambda = unknown,
  Template = unknown,
  Retriever = unknown,
  Embedder = unknown,
  Indexer = unknown,
  Loader = unknown,
  Transformer = unknown,
  Agent = unknown,
>(handlers: {
  readonly tool?: ComponentHandler<PayloadOf<"tool">, Tool> | undefined;
  readonly model?: ComponentHandler<PayloadOf<"model">, Model> | undefined;
  readonly graph?: ComponentHandler<PayloadOf<"graph">, Graph> | undefined;
  readonly tools_node?: ComponentHandler<PayloadOf<"tools_node">, ToolsNode> | undefined;
  readonly chain?: ComponentHandler<PayloadOf<"chain">, Chain> | undefined;
  readonly workflow?: ComponentHandler<PayloadOf<"workflow">, Workflow> | undefined;
  readonly lambda?: ComponentHandler<PayloadOf<"lambda">, Lambda> | undefined;
  readonly template?: ComponentHandler<PayloadOf<"template">, Template> | undefined;
  readonly retriever?: ComponentHandler<PayloadOf<"retriever">, Retriever> | undefined;
  readonly embedder?: ComponentHandler<PayloadOf<"embedder">, Embedder> | undefined;
  readonly indexer?: ComponentHandler<PayloadOf<"indexer">, Indexer> | undefined;
  readonly loader?: ComponentHandler<PayloadOf<"loader">, Loader> | undefined;
  readonly transformer?: ComponentHandler<PayloadOf<"transformer">, Transformer> | undefined;
  readonly agent?: ComponentHandler<PayloadOf<"agent">, Agent> | undefined;
}): Handler {
  const byComponent = new Map<string, Handler>();
  for (const [component, given] of Object.entries(handlers)) {
    if (!Object.hasOwn(kinds, component)) throw unknownComponent(component, Object.keys(kinds));
    if (given !== undefined) byComponent.set(component, check(component, given));
  }
  return route(byComponent);
}

const kinds: Readonly<Record<ComponentKind, true>> = {
  tool: true,
  model: true,
  graph: true,
  tools_node: true,
  chain: true,
  workflow: true,
  lambda: true,
  template: true,
  retriever: true,
  embedder: true,
  indexer: true,
  loader: true,
  transformer: true,
  agent: true,
};

const timings: readonly HandlerTiming[] = [
  "onStart",
  "onEnd",
  "onError",
  "onInterrupt",
  "onStartWithStreamInput",
  "onEndWithStreamOutput",
  "onEvent",
];

function check(component: string, given: Handler | null): Handler {
  if (typeof given !== "object" || given === null) throw invalidHandlers(component, given);
  for (const timing of timings) {
    const value: unknown = given[timing];
    if (value !== undefined && typeof value !== "function") throw invalidTiming(component, timing, value);
  }
  return given;
}

/** Declares every timing that any handler declares, and passes spans of outer runs through runs without handlers here. */
function route(byComponent: ReadonlyMap<string, Handler>): Handler {
  const of = (info: RunInfo): Handler | undefined => byComponent.get(info.component);
  const ownSpan = (handler: Handler | undefined, span: unknown): unknown => (startsSpan(handler) ? span : undefined);
  const all: Required<Handler> = {
    onStart: (info, value, outer) => {
      const handler = of(info);
      return startsSpan(handler) ? handler?.onStart?.(info, value, outer) : outer;
    },
    onEnd: (info, value, span) => of(info)?.onEnd?.(info, value, ownSpan(of(info), span)),
    onError: (info, error, span) => of(info)?.onError?.(info, error, ownSpan(of(info), span)),
    onInterrupt: (info, interrupt, span) => of(info)?.onInterrupt?.(info, interrupt, ownSpan(of(info), span)),
    onStartWithStreamInput: (info, stream, outer) => of(info)?.onStartWithStreamInput?.(info, stream, outer),
    onEndWithStreamOutput: (info, stream, span) =>
      of(info)?.onEndWithStreamOutput?.(info, stream, ownSpan(of(info), span)),
    onEvent: (info, event, span) => of(info)?.onEvent?.(info, event, ownSpan(of(info), span)),
  };
  const declared = timings.filter((timing) =>
    [...byComponent.values()].some((handler) => handler[timing] !== undefined),
  );
  const routed: Handler & Pick<SelectiveHandler, typeof takesStreamOf> = {
    [takesStreamOf]: (timing, info) => of(info)?.[timing] !== undefined,
  };
  return Object.assign(routed, Object.fromEntries(declared.map((timing) => [timing, all[timing]])));
}

function startsSpan(handler: Handler | undefined): boolean {
  return handler?.onStart !== undefined || handler?.onStartWithStreamInput !== undefined;
}
