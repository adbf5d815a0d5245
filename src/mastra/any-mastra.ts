import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { QueryableStore } from "../rag/retrieval/query-tool-options.js";
import type { AnyAgent } from "./agent/any-agent.js";
import type { MastraLogger } from "./logger.js";
import type { AnyMastraTool } from "./tools/any-tool.js";
import type { AnyWorkflow } from "./workflow/any-workflow.js";

/** A {@link Mastra} of any type, as steps and tools get it. */
export interface AnyMastra {
  /** Returns an agent by its key; throws if there is none. */
  getAgent(key: string): AnyAgent;
  /** Returns an agent by its id; throws if there is none. */
  getAgentById(id: string): AnyAgent;
  /** All agents, by their keys. */
  listAgents(): Readonly<Record<string, AnyAgent>>;
  /** Returns a workflow by its key; throws if there is none. */
  getWorkflow(key: string): AnyWorkflow;
  /** Returns a workflow by its id; throws if there is none. */
  getWorkflowById(id: string): AnyWorkflow;
  /** All workflows, by their keys. */
  listWorkflows(): Readonly<Record<string, AnyWorkflow>>;
  /** Returns a tool by its key; throws if there is none. */
  getTool(key: string): AnyMastraTool;
  /** All tools, by their keys. */
  listTools(): Readonly<Record<string, AnyMastraTool>>;
  /** Returns a vector store by its name; throws if there is none. */
  getVector(name: string): QueryableStore;
  /** All vector stores, by their names. */
  listVectors(): Readonly<Record<string, QueryableStore>>;
  /** The logger. */
  getLogger(): MastraLogger;
  /** The store of waiting runs. */
  getStorage(): CheckpointStore;
}
