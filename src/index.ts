/**
 * The everyday API: graphs, chains, workflows, tools, messages and streams. Each name also stands in the entry
 * of its subject.
 *
 * @packageDocumentation
 */

export { type ComponentHandler, componentHandlers } from "./callbacks/component-handlers.js";
export { consoleTracer } from "./callbacks/console-tracer.js";
export type { Handler } from "./callbacks/handler.js";
export { RunEmitter } from "./callbacks/run-emitter.js";
export type { RunInfo } from "./callbacks/run-info.js";
export type { TraceNode } from "./callbacks/trace.js";
export { traceRecorder } from "./callbacks/trace-recorder.js";
export type { CheckpointStore } from "./checkpoint/checkpoint-store.js";
export { memoryStore } from "./checkpoint/memory-store.js";
export { type Interrupt, InterruptError, isInterrupt } from "./checkpoint/pause/interrupt.js";
export type { Clock } from "./components/clock.js";
export type { Ask, NodeContext } from "./components/context.js";
export type { AgenticModel, ModelContext, ModelOptions, ToolChoice } from "./components/model.js";
export type { CachePolicy, CacheStore, NodeFailure, RetryPolicy } from "./components/policies.js";
export { type ContextKey, contextKey, RequestContext } from "./components/request-context.js";
export type { Embedder, Indexer, Loader, Retriever, Transformer } from "./components/retrieval.js";
export { type StateKey, stateKey } from "./components/state-key.js";
export type { ApprovalRule, Tool, ToolContext, ToolOutput } from "./components/tool.js";
export { toolOptions } from "./components/tool-options.js";
export { asTool } from "./compose/as-tool.js";
export { batch } from "./compose/batch.js";
export { toolCallsOr } from "./compose/branch.js";
export { Chain } from "./compose/chain.js";
export type { CompileOptions } from "./compose/compile-options.js";
export type { CompiledGraph } from "./compose/compiled-graph.js";
export { runnable } from "./compose/component-runnable.js";
export { each } from "./compose/each.js";
export { events, type RunEvent } from "./compose/events.js";
export { Graph } from "./compose/graph.js";
export type { GraphOptions } from "./compose/graph-options.js";
export { lambda, mapChunks, passthrough } from "./compose/lambda.js";
export { constant, failureOf, firstOf, from } from "./compose/mapping.js";
export { memoryCache } from "./compose/memory-cache.js";
export type { Answers, ResumeOptions, RunOptions } from "./compose/options.js";
export { END, START } from "./compose/plan/plan.js";
export { RunControl } from "./compose/run-control.js";
export type { Runnable } from "./compose/runnable.js";
export { Runtime } from "./compose/runtime.js";
export { sleep } from "./compose/sleep.js";
export type { GraphTypeError } from "./compose/types/graph-type-error.js";
export type { NodeLike } from "./compose/types/node-like.js";
export type { NodeOptions } from "./compose/types/node-options.js";
// the declarations of programs name it once for each node: this is its shortest name
export type { TypedNode } from "./compose/types/shape.js";
export type { Mapping } from "./compose/types/workflow/sources.js";
export { Workflow } from "./compose/workflow.js";
export { type ErrorCode, findCause, KumikoError } from "./errors.js";
export { ConcatRegistry } from "./schema/concat/registry.js";
export type { Document } from "./schema/document.js";
export type { ParameterInfo, ParameterMap } from "./schema/json-schema/parameter-map.js";
export type { AgenticMessage, TokenUsage } from "./schema/message/agentic-message.js";
export { concatMessages } from "./schema/message/concat.js";
export {
  functionToolCall,
  functionToolResult,
  userInputFile,
  userInputImage,
  userInputText,
} from "./schema/message/construct-block.js";
export { assistantMessage, systemMessage, userMessage } from "./schema/message/construct-message.js";
export type {
  ContentBlock,
  FunctionToolCall,
  FunctionToolResult,
  ToolErrorKind,
} from "./schema/message/content-block.js";
export { hasToolCalls, textOf, toolCallsOf, toolResultsOf } from "./schema/message/read-message.js";
export type { JsonSchema, StandardSchemaV1 } from "./schema/standard-schema.js";
export { pipe } from "./schema/stream/pipe.js";
export { StreamReader } from "./schema/stream/reader.js";
export type { StreamSource } from "./schema/stream/source.js";
export type { ToolInfo } from "./schema/tool-info.js";
export { type CreateToolOptions, createTool } from "./tools/define/create-tool.js";
export { ToolError } from "./tools/define/errors.js";
export { ToolCallError } from "./tools/define/tool-call-error.js";
export type { McpClient } from "./tools/mcp/mcp-client.js";
export { mcpTools } from "./tools/mcp/mcp-tools.js";
export { AgenticToolsNode } from "./tools/node/agentic-tools-node.js";
export type { AgenticToolsNodeConfig, ToolErrorHandler } from "./tools/node/config.js";
export type {
  InvokableMiddleware,
  StreamableMiddleware,
  ToolCall,
  ToolCallMiddleware,
} from "./tools/node/middleware.js";
export type { ToolAliases, ToolsNodeOptions } from "./tools/node/options.js";
export { resultsOf } from "./tools/node/results-of.js";
