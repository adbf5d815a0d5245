/**
 * How programs are built: `Graph`, `Chain`, `Workflow`, runnables, `AgenticToolsNode`, and the types that the
 * compiler infers for them.
 *
 * @packageDocumentation
 */

export type { GraphEdgeInfo, GraphInfo, GraphNodeInfo, ToolDescription } from "../callbacks/graph-info.js";
export type { CheckpointStore, ClosableStore, StoredCheckpoint } from "../checkpoint/checkpoint-store.js";
export type {
  ForkOptions,
  HistoryEntry,
  HistoryLimits,
  PruneOptions,
  SavedState,
} from "../checkpoint/history/history-entry.js";
export { memoryStore } from "../checkpoint/memory-store.js";
export type { Interrupts } from "../checkpoint/pause/interrupt.js";
export { type Interrupt, InterruptError, isInterrupt } from "../checkpoint/pause/interrupt.js";
export type { RunIndex, RunQuery, RunRow, RunStatus } from "../checkpoint/runs/run-index.js";
export type { ClassCodec } from "../checkpoint/values/class-codec.js";
export type { Clock } from "../components/clock.js";
export type { CachePolicy, CacheStore, NodeFailure, RetryPolicy } from "../components/policies.js";
export {
  type ContextKey,
  contextKey,
  RequestContext,
} from "../components/request-context.js";
export { type StateKey, stateKey } from "../components/state-key.js";
export { type ErrorCode, findCause, KumikoError, type KumikoErrorOptions } from "../errors.js";
export { defaultRetryOn } from "../run/policies/default-retry-on.js";
export { AgenticToolsNode } from "../tools/node/agentic-tools-node.js";
export type { AgenticToolsNodeConfig, ToolErrorHandler } from "../tools/node/config.js";
export type {
  InvokableMiddleware,
  NextInvokable,
  NextStreamable,
  StreamableMiddleware,
  ToolCall,
  ToolCallMiddleware,
} from "../tools/node/middleware.js";
export type { ToolAliases, ToolsNodeOptions } from "../tools/node/options.js";
export { resultsOf } from "../tools/node/results-of.js";
export type { SkippedTool } from "../tools/node/tool-table.js";
export { type AsToolOptions, asTool } from "./as-tool.js";
export { type BatchOptions, batch } from "./batch.js";
export { type ToolCallsOrOptions, toolCallsOr } from "./branch.js";
export { Chain, type ChainOptions } from "./chain.js";
export type { ChainCompileOptions, CompileOptions, NodeDefaults, WorkflowCompileOptions } from "./compile-options.js";
export type { CompiledGraph } from "./compiled-graph.js";
export { type ComponentRunnableOptions, runnable } from "./component-runnable.js";
export { type EachOptions, each } from "./each.js";
export { events, type RunEvent, resumeEvents } from "./events.js";
export { Graph } from "./graph.js";
export type { GraphOptions } from "./graph-options.js";
export { type LambdaModes, type LambdaOptions, lambda, mapChunks, type Passthrough, passthrough } from "./lambda.js";
export { constant, type FromOptions, failureOf, firstOf, from } from "./mapping.js";
export { type MemoryCacheOptions, memoryCache } from "./memory-cache.js";
export type { Answers, KindOptions, NodeCallOptions as PlaceOptions, ResumeOptions, RunOptions } from "./options.js";
export type { MermaidOptions } from "./plan/picture/mermaid.js";
export type { PictureTrace, TraceEntry } from "./plan/picture/trace-marks.js";
export { END, START, type TriggerMode } from "./plan/plan.js";
export { RunControl } from "./run-control.js";
export type { AnyRunnable, InputOf, OutputOf, Runnable } from "./runnable.js";
export { Runtime, type RuntimeOptions } from "./runtime.js";
export type { DurableApp, SavedRun, SegmentOptions, SegmentSettings } from "./segment.js";
export { type SleepTime, sleep } from "./sleep.js";
export type { GraphTypeError } from "./types/graph-type-error.js";
export type { NodeLike } from "./types/node-like.js";
export type { ShapesOf, WithOptions } from "./types/node-map.js";
export type {
  CallOptionsMaker,
  NodeCallDefaults,
  NodeOptions,
  PolicyOptions,
  SharedNodeOptions,
  StateHandlers,
  UnkeyedNodeOptions,
} from "./types/node-options.js";
export type { NodePaths } from "./types/node-paths.js";
export type { HasInner, NodeShape } from "./types/node-shape.js";
export type { Flow, Part, TypedNode } from "./types/shape.js";
export type { Fork, Wired, WiredShape } from "./types/workflow/controls.js";
export type {
  AnySource,
  Computed,
  Constant,
  FailureOf,
  FirstOf,
  From,
  Mapping,
  MappingRecord,
} from "./types/workflow/sources.js";
export type { UntypedGraph } from "./untyped-graph.js";
export type { UntypedNodeOptions, UntypedWorkflow, WorkflowEndOptions } from "./untyped-workflow.js";
export { Workflow } from "./workflow.js";
