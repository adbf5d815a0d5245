import type { ToolDescription } from "../callbacks/graph-info.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { JsonSchema } from "../schema/standard-schema.js";

/** An agent as plain data. What a function supplies is `"dynamic"`: it is not called. */
export interface AgentDescription {
  /** The name of the agent. */
  readonly name: string;
  /** What it does, as other agents read it. */
  readonly description?: string;
  /** The instructions, as they were given. */
  readonly instructions?: string | readonly AgenticMessage[];
  /** Its model: `provider/model` for one of the AI SDK, else the `type` of the component. */
  readonly model?: string;
  /** Its tools and those of its middlewares, without those that hand over. */
  readonly tools: readonly ToolDescription[] | "dynamic";
  /** The JSON Schema of its answer; absent if that is text. */
  readonly output?: JsonSchema;
  /** The names of the agents that it can hand over to. */
  readonly handoffs: readonly string[] | "dynamic";
  /** The names of its middlewares, in order. */
  readonly middleware: readonly string[];
  /** The maximum number of accepted answers in a turn. */
  readonly maxSteps: number;
}
