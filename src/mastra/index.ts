/** Agents, tools, workflows and a server under Mastra's names. @packageDocumentation */

export { RequestContext, RequestContext as RuntimeContext } from "../components/request-context.js";
export { MCPServer } from "../mcp/server/mcp-server.js";
export { Agent } from "./agent/agent.js";
export type { Dynamic, MastraAgentContext, MastraAgentOptions } from "./agent/agent-options.js";
export type { MastraAgentResult, MastraAgentStep, MastraResponse, MastraTripwire } from "./agent/agent-result.js";
export { MastraAgentStream } from "./agent/agent-stream.js";
export type { AnyAgent } from "./agent/any-agent.js";
export type {
  MastraCallMemory,
  MastraCallOptions,
  MastraModelSettings,
  MastraPrompt,
  MastraResumeOptions,
  MastraRunTarget,
  MastraToolChoice,
} from "./agent/call-options.js";
export type { MastraChunk, MastraFinishReason, ToolCallChunk, ToolResultChunk } from "./agent/chunk.js";
export type { MastraUsage } from "./agent/usage.js";
export type { AnyMastra } from "./any-mastra.js";
export type { MastraLogger } from "./logger.js";
export { Mastra, type MastraOptions, type ServerOptions } from "./mastra.js";
export { MCPClient, type MCPClientOptions, type MCPClientServer } from "./mcp/mcp-client.js";
export { expressMiddleware } from "./server/express-middleware.js";
export { honoMiddleware } from "./server/hono-middleware.js";
export type { Middleware, MiddlewareContext, MiddlewareRequest, ServerErrorHandler } from "./server/middleware.js";
export type { RouteHandler } from "./server/next-handler.js";
export { type NextHandler, nextHandler } from "./server/next-handler.js";
export { createTool, type MastraTool, type MastraToolOptions } from "./tools/create-tool.js";
export type { MastraToolContext } from "./tools/tool-context.js";
export type { AnyWorkflow, AnyWorkflowRun } from "./workflow/any-workflow.js";
export { cloneStep, createStep } from "./workflow/create-step.js";
export { createWorkflow } from "./workflow/create-workflow.js";
export type { RestartOptions, ResumeOptions, StartOptions, WorkflowCallOptions } from "./workflow/run-options.js";
export type { AnyStep, Step, StepOptions, StepParams, StepWriter, SuspendOptions } from "./workflow/step.js";
export type { StepResult, StepStatus } from "./workflow/step-result.js";
export type { Workflow } from "./workflow/workflow.js";
export type { WorkflowEvent, WorkflowEventPayload } from "./workflow/workflow-event.js";
export type { WorkflowOptions } from "./workflow/workflow-options.js";
export type { WorkflowResult } from "./workflow/workflow-result.js";
export type { WorkflowRun } from "./workflow/workflow-run.js";
export type { WorkflowStream } from "./workflow/workflow-stream.js";
