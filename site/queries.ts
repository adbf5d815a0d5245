/** Queries of users, each with the pages of which one must be among the first three results. */
export const queries: readonly (readonly [query: string, ...pages: string[]])[] = [
  ["first agent", "guides/first-agent", "guides/agents"],
  ["install", "guides/first-agent"],
  ["stream text", "guides/agents", "guides/streams", "guides/first-agent"],
  ["structured output", "guides/agents", "guides/models"],
  ["approval", "guides/waiting-for-people", "guides/agents"],
  ["human in the loop", "guides/waiting-for-people"],
  ["resume", "guides/waiting-for-people", "guides/waiting-for-people-reference", "guides/agents"],
  ["memory", "guides/threads-and-memory"],
  ["thread", "guides/threads-and-memory"],
  ["summarize conversation", "guides/threads-and-memory", "guides/middleware"],
  ["middleware", "guides/middleware", "guides/tool-middleware"],
  ["sub agents", "guides/many-agents"],
  ["handoff", "guides/many-agents"],
  ["useChat", "guides/serving-an-agent", "guides/chat-page"],
  ["server-sent events", "guides/serving-an-agent"],
  ["AG-UI", "guides/serving-an-agent"],
  ["retry", "guides/when-things-fail", "guides/models"],
  ["timeout", "guides/when-things-fail"],
  ["fallback model", "guides/models"],
  ["cache", "guides/when-things-fail"],
  ["createTool", "guides/tools", "reference/components"],
  ["parallel tool calls", "guides/tools", "guides/tools-reference"],
  ["MCP server", "guides/mcp"],
  ["gRPC", "grpc"],
  ["thrift", "thrift"],
  ["web search", "search"],
  ["branch", "guides/first-graph", "guides/workflow"],
  ["loop", "guides/first-graph"],
  ["state", "guides/first-graph"],
  ["workflow field mapping", "guides/workflow"],
  ["map over an array", "guides/maps-and-batches"],
  ["batch", "guides/maps-and-batches"],
  ["mermaid", "pictures"],
  ["time travel", "guides/history"],
  ["OpenTelemetry", "guides/tracing"],
  ["vector store", "guides/documents-and-retrieval"],
  ["chunking", "guides/documents-and-retrieval"],
  ["LangGraph", "coming-from-langgraph"],
  ["maxSteps", "reference/agents", "reference/compose", "guides/agents"],
  ["CANNOT_MERGE", "guides/errors"],
];

/** How many of them must hold. */
export const needed = 36;

/** Names of the reference that are found whole: the first result is a page of theirs. */
export const names: readonly (readonly [name: string, ...pages: string[]])[] = [
  ["modelIdleTimeoutMs", "reference/agents"],
  ["writeToCheckpointId", "reference/compose", "reference/agents"],
  ["tool_output_delta", "reference/agents"],
  ["ToolCallMiddleware", "reference/compose"],
  ["autoResumeSuspendedTools", "reference/agents"],
  ["requestStateTtlMs", "reference/mcp"],
];

/** The largest index, in bytes after gzip. */
export const largestIndex = 150_000;
