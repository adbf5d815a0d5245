import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { AnyAgent } from "./agent/any-agent.js";
import type { MastraLogger } from "./logger.js";
import type { AnyMastraTool } from "./tools/any-tool.js";
import type { AnyWorkflow } from "./workflow/any-workflow.js";

/** A {@link Mastra} of any type, as steps and tools get it. */
export interface AnyMastra {
  getAgent(key: string): AnyAgent;
  getAgentById(id: string): AnyAgent;
  listAgents(): Readonly<Record<string, AnyAgent>>;
  getWorkflow(key: string): AnyWorkflow;
  getWorkflowById(id: string): AnyWorkflow;
  listWorkflows(): Readonly<Record<string, AnyWorkflow>>;
  getTool(key: string): AnyMastraTool;
  listTools(): Readonly<Record<string, AnyMastraTool>>;
  getLogger(): MastraLogger;
  getStorage(): CheckpointStore;
}
