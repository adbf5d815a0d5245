export { type ComponentHandler, componentHandlers } from "./callbacks/component-handlers.js";
export { type ConsoleTracerOptions, consoleTracer } from "./callbacks/console-tracer.js";
export type { Handler, HandlerErrorListener, HandlerTiming } from "./callbacks/handler.js";
export type {
  ComponentPayload,
  ComponentPayloads,
  ModelEnd,
  ModelStart,
  PayloadOf,
  ToolChunk,
  ToolEnd,
  ToolStart,
} from "./callbacks/payloads.js";
export {
  RunEmitter,
  type RunEmitterOptions,
  type RunEvents,
  type RunMoment,
  type RunMoments,
} from "./callbacks/run-emitter.js";
export type { ComponentKind, RunInfo } from "./callbacks/run-info.js";
export type { SideEvent, SideEventKind } from "./callbacks/side-event.js";
export {
  type TraceNode,
  type TraceRecorder,
  type TraceRecorderOptions,
  traceRecorder,
} from "./callbacks/trace-recorder.js";
export type { CheckpointStore, ClosableStore, StoredCheckpoint } from "./checkpoint/checkpoint-store.js";
export { memoryStore } from "./checkpoint/memory-store.js";
export { type Interrupt, InterruptError, isInterrupt } from "./checkpoint/pause/interrupt.js";
export type { ClassCodec } from "./checkpoint/values/class-codec.js";
export type { Clock } from "./components/clock.js";
export type { Ask, InterruptOptions, NodeContext } from "./components/context.js";
export type { AgenticModel, ModelContext, ModelOptions, ToolChoice } from "./components/model.js";
export type { ParseOptions, Parser } from "./components/parser.js";
export type { CachePolicy, CacheStore, NodeFailure, RetryPolicy } from "./components/policies.js";
export {
  type ContextKey,
  contextKey,
  RequestContext,
  RequestContext as RuntimeContext,
} from "./components/request-context.js";
export type { ResumeInfo } from "./components/resume-info.js";
export type {
  DocumentSource,
  Embedder,
  EmbedderOptions,
  Indexer,
  IndexerOptions,
  Loader,
  Retriever,
  RetrieverOptions,
  Template,
  Transformer,
} from "./components/retrieval.js";
export { type StateKey, stateKey } from "./components/state-key.js";
export type { NeedsApproval, Tool, ToolContext, ToolOutput } from "./components/tool.js";
export { type ToolOption, type ToolOptions, toolOptions } from "./components/tool-options.js";
export { type AsToolOptions, asTool } from "./compose/as-tool.js";
export { type BatchOptions, batch } from "./compose/batch.js";
export { type ToolCallsOrOptions, toolCallsOr } from "./compose/branch.js";
export { Chain, type ChainOptions } from "./compose/chain.js";
export type {
  ChainCompileOptions,
  CompileOptions,
  NodeDefaults,
  WorkflowCompileOptions,
} from "./compose/compile-options.js";
export type { CompiledGraph } from "./compose/compiled-graph.js";
export { type ComponentRunnableOptions, runnable } from "./compose/component-runnable.js";
export { type EachOptions, each } from "./compose/each.js";
export { events, type RunEvent, resumeEvents } from "./compose/events.js";
export { Graph } from "./compose/graph.js";
export type { GraphOptions } from "./compose/graph-options.js";
export {
  type LambdaModes,
  type LambdaOptions,
  lambda,
  mapChunks,
  type Passthrough,
  passthrough,
} from "./compose/lambda.js";
export { constant, type FromOptions, failureOf, firstOf, from } from "./compose/mapping.js";
export { type MemoryCacheOptions, memoryCache } from "./compose/memory-cache.js";
export type {
  Answers,
  KindOptions,
  NodeCallOptions as PlaceOptions,
  ResumeOptions,
  RunOptions,
} from "./compose/options.js";
export type { GraphEdgeInfo, GraphInfo, GraphNodeInfo } from "./compose/plan/describe.js";
export type { MermaidOptions } from "./compose/plan/picture/mermaid.js";
export type { PictureTrace, TraceEntry } from "./compose/plan/picture/trace-marks.js";
export { END, START, type TriggerMode } from "./compose/plan/plan.js";
export { RunControl } from "./compose/run-control.js";
export type { AnyRunnable, InputOf, OutputOf, Runnable } from "./compose/runnable.js";
export { Runtime, type RuntimeOptions } from "./compose/runtime.js";
export { type SleepTime, sleep } from "./compose/sleep.js";
export type { GraphTypeError } from "./compose/types/graph-type-error.js";
export type { NodeLike } from "./compose/types/node-like.js";
export type { ShapesOf } from "./compose/types/node-map.js";
export type {
  CallOptionsMaker,
  NodeCallDefaults,
  NodeOptions,
  PolicyOptions,
  SharedNodeOptions,
  UnkeyedNodeOptions,
} from "./compose/types/node-options.js";
export type { NodePaths } from "./compose/types/node-paths.js";
export type { NodeShape } from "./compose/types/node-shape.js";
export type {
  AnySource,
  Computed,
  Constant,
  FirstOf,
  From,
  Mapping,
  MappingRecord,
} from "./compose/types/workflow/sources.js";
export type { UntypedGraph } from "./compose/untyped-graph.js";
export type { UntypedNodeOptions, UntypedWorkflow, WorkflowEndOptions } from "./compose/untyped-workflow.js";
export { Workflow } from "./compose/workflow.js";
export { type ErrorCode, findCause, KumikoError, type KumikoErrorOptions } from "./errors.js";
export { defaultRetryOn } from "./run/policies/default-retry-on.js";
export { ConcatRegistry } from "./schema/concat/registry.js";
export type { DeclaredConcat } from "./schema/concat/rule.js";
export type { Document } from "./schema/document.js";
export { toJsonSchema } from "./schema/json-schema/convert.js";
export type { ParameterInfo, ParameterMap } from "./schema/json-schema/parameter-map.js";
export type { ToolParameters } from "./schema/json-schema/tool-parameters.js";
export {
  type AgenticMessage,
  isAgenticMessage,
  type ResponseMeta,
  type TokenUsage,
} from "./schema/message/agentic-message.js";
export { concatMessages } from "./schema/message/concat.js";
export { concatMessageLists } from "./schema/message/concat-lists.js";
export { functionToolCall, functionToolResult } from "./schema/message/construct-block.js";
export { assistantMessage, systemMessage, userMessage } from "./schema/message/construct-message.js";
export type {
  ContentBlock,
  ContentBlockType,
  FunctionToolCall,
  FunctionToolResult,
  ToolErrorKind,
  ToolResultContent,
} from "./schema/message/content-block.js";
export { hasToolCalls, reasoningOf, textOf, toolCallsOf, toolResultsOf } from "./schema/message/read-message.js";
export type { LooseSchema, SchemaValidator, UncheckedPart } from "./schema/schema-validator.js";
export type { JsonSchema, StandardJSONSchemaV1, StandardSchemaV1 } from "./schema/standard-schema.js";
export { type Pipe, type PipeOptions, pipe, type StreamWriter } from "./schema/stream/pipe.js";
export { type CopyOptions, StreamReader } from "./schema/stream/reader.js";
export type { StreamSource } from "./schema/stream/source.js";
export { type ToolInfo, toolInfo } from "./schema/tool-info.js";
export type { AnyTool, HandwrittenTool } from "./tools/define/any-tool.js";
export {
  type CreatedTool,
  type CreateToolOptions,
  createTool,
  type ExecuteInput,
  type ExecuteResult,
  type McpToolProperties,
} from "./tools/define/create-tool.js";
export { ToolError, type ToolErrorDetails } from "./tools/define/errors.js";
export { ToolCallError } from "./tools/define/tool-call-error.js";
export type { OutputValidation } from "./tools/define/tool-settings.js";
export type { McpClient } from "./tools/mcp/mcp-client.js";
export { type McpTool, type McpToolsOptions, mcpTools } from "./tools/mcp/mcp-tools.js";
export { AgenticToolsNode } from "./tools/node/agentic-tools-node.js";
export type { AgenticToolsNodeConfig, ToolErrorHandler } from "./tools/node/config.js";
export type {
  InvokableMiddleware,
  NextInvokable,
  NextStreamable,
  StreamableMiddleware,
  ToolCall,
  ToolCallMiddleware,
} from "./tools/node/middleware.js";
export type { ToolAliases, ToolsNodeOptions } from "./tools/node/options.js";
export { repairToolCalls } from "./tools/node/repair-tool-calls.js";
export { resultsOf } from "./tools/node/results-of.js";
