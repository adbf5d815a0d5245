/** Agents: tools, threads, middlewares, approvals, structured answers and handoffs. @packageDocumentation */

export type { Recalled, RecallOptions } from "../rag/recall/memory.js";
export { recall } from "../rag/recall/recall.js";
export type { Agent, AgentGraph, AgentNodes, AgentToolOptions } from "./agent.js";
export type { AgentContext, AgentRun, Per, StopWhen } from "./agent-context.js";
export type { AgentDescription } from "./agent-description.js";
export type { AgentEvent, AgentEventBody, EventError, EventPlace, RestartReason } from "./agent-event.js";
export type { AgentOptions, OnMaxSteps, OutputMode } from "./agent-options.js";
export type { AgentFinishReason, AgentResult, AgentStep, BlockedPart, EndReason } from "./agent-result.js";
export { messagesOf } from "./agent-run.js";
export type { DeepPartial } from "./agent-stream.js";
export { AgentStream } from "./agent-stream.js";
export { type AlwaysAllowed, type ApprovalsOptions, approvals, type CallRule } from "./approvals/approvals.js";
export type {
  AgentCallOptions,
  AgentFork,
  AgentForkOptions,
  AgentModelOptions,
  AgentResumeOptions,
  Prompt,
  PromptMessage,
  ResumeTarget,
} from "./call-options.js";
export { type AgentOutput, createAgent } from "./create-agent.js";
export {
  type AnyMiddleware,
  createMiddleware,
  type Middleware,
  type MiddlewareOptions,
  type ModelChanges,
  type NextModelCall,
  type NextToolCall,
  type StateScope,
  type StepChanges,
} from "./create-middleware.js";
export { ThreadWaitingError } from "./errors.js";
export { type GuardOptions, type GuardVerdict, guard } from "./guards/guard.js";
export type { GuardedPart } from "./guards/guarded-part.js";
export { type PiiGuardOptions, type PiiKind, piiGuard } from "./guards/pii-guard.js";
export {
  type ClientToolInfo,
  type InterruptOf,
  isClientTool,
  isMcpApproval,
  isToolApproval,
  isToolSuspended,
  type McpApprovalInfo,
  type ToolApprovalInfo,
  type ToolSuspendedInfo,
} from "./interrupt-kinds.js";
export { type ClearToolResultsOptions, clearToolResults } from "./middleware/clear-tool-results.js";
export { promptCache } from "./middleware/prompt-cache.js";
export { type SubAgentsOptions, subAgents } from "./middleware/sub-agents.js";
export { type SummarizeOptions, summarize } from "./middleware/summarize.js";
export { type Todo, todoList } from "./middleware/todo-list.js";
export { type FoundTools, type ToolSearchOptions, toolSearch } from "./middleware/tool-search.js";
export { type TrimMessagesOptions, trimMessages } from "./middleware/trim-messages.js";
export { type Profile, type UserProfileOptions, userProfile } from "./middleware/user-profile.js";
export { ModelReply, type ModelRequest } from "./model-request.js";
export type { AgentSegmentOptions, EventRecorder, SegmentTurn } from "./segment-options.js";
export { calledTool, overBudget } from "./stop-conditions.js";
export type { ThreadForkOptions } from "./threads/fork.js";
export type { ThreadInfo, ThreadListOptions, ThreadSweepOptions, ThreadUpdate } from "./threads/thread-info.js";
export { type Threads, type Turn, type TurnStatus, threads } from "./threads/threads.js";
