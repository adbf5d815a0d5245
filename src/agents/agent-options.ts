import type { Handler } from "../callbacks/handler.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { Runtime } from "../compose/runtime.js";
import type { Model } from "../models/model.js";
import type { ModelRetryPolicy } from "../models/retry-model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../schema/standard-schema.js";
import type { AgenticToolsNodeConfig } from "../tools/node/config.js";
import type { Agent } from "./agent.js";
import type { Per, StopWhen } from "./agent-context.js";
import type { AgentModelOptions } from "./call-options.js";
import type { AnyMiddleware } from "./create-middleware.js";

/** How an agent produces a value that matches a schema. */
export type OutputMode = "auto" | "native" | "tool";

/** The behavior if the last step still calls tools. */
export type OnMaxSteps = "answer" | "stop" | "throw";

/** Options of `createAgent`. */
export interface AgentOptions<Output extends AnyStandardSchema | JsonSchema | undefined = undefined> {
  /** A model, also one of the AI SDK or a name that the `models` of the `runtime` resolve, or a function that chooses one for each turn. */
  readonly model: Per<Model>;
  /** Letters, digits, `_` and `-`, at most 64. @default "agent" */
  readonly name?: string | undefined;
  /** Shown to other agents that can call this one as a tool, or hand over to it. */
  readonly description?: string | undefined;
  /** The instructions of the model. They are not part of the log. */
  readonly instructions?: Per<string | readonly AgenticMessage[]> | undefined;
  /** Tools in any format that a tools node accepts. */
  readonly tools?: Per<AgenticToolsNodeConfig["tools"]> | undefined;
  /** The schema of the answer. Without one, the answer is text. */
  readonly output?: Output | undefined;
  /** Whether to use the model's own response format, or a tool for the answer. @default "auto": without tools "native" */
  readonly outputMode?: OutputMode | undefined;
  /** How often the model may correct an answer that does not match. @default 1 */
  readonly outputRepairs?: number | undefined;
  /** The maximum number of accepted answers in a turn. @default 20 */
  readonly maxSteps?: number | undefined;
  /**
   * If the last step calls tools: ask for one more answer without tools, stop without one, or throw `MAX_STEPS_EXCEEDED`.
   * @default "answer"
   */
  readonly onMaxSteps?: OnMaxSteps | undefined;
  /** Called after the tool calls of each step: returns whether the run is finished. */
  readonly stopWhen?: StopWhen | readonly StopWhen[] | undefined;
  /** Tools whose result becomes the answer. */
  readonly returnDirectly?: readonly string[] | undefined;
  /** Middlewares, in order: the first `wrap…` hook is the outermost, and `after…` hooks run in reverse. */
  readonly middleware?: readonly AnyMiddleware[] | undefined;
  /** Agents to which this one can hand over the conversation. */
  readonly handoffs?: readonly Agent<unknown>[] | (() => readonly Agent<unknown>[]) | undefined;
  /** How often, and when, a model call is retried. @default { attempts: 3 } */
  readonly retry?: ModelRetryPolicy | false | undefined;
  /** Models to ask when the first one fails. */
  readonly fallbacks?: readonly Model[] | undefined;
  /** The time limit of one model attempt. */
  readonly modelTimeoutMs?: number | undefined;
  /** How long a streaming model may be silent. */
  readonly modelIdleTimeoutMs?: number | undefined;
  /** The behavior when a tool call fails: the model reads the error as a result, or the run fails. @default "result" */
  readonly onToolError?: AgenticToolsNodeConfig["onToolError"];
  /** All other options of the tools node. */
  readonly toolsNode?: Omit<AgenticToolsNodeConfig, "tools" | "onToolError"> | undefined;
  /** Extracts answers to suspended tools from the user's next message. @default false */
  readonly autoResumeSuspendedTools?: boolean | undefined;
  /** Call options for every call of the model, such as `temperature`. */
  readonly modelOptions?: AgentModelOptions | undefined;
  /**
   * Counts the tokens of messages for `trimMessages`, `summarize` and `clearToolResults`. @default by characters and media, in the
   * ratio that the model has reported for its last request
   */
  readonly countTokens?: ((messages: readonly AgenticMessage[]) => number | Promise<number>) | undefined;
  /** The store for waiting runs and for threads. */
  readonly store?: CheckpointStore | undefined;
  /** When a run is saved: after each node and tool call, or where it stops. @default "step" */
  readonly durability?: "exit" | "step" | undefined;
  /**
   * Keeps the earlier saves of turns and of runs with a `checkpointId`: `fork` continues from one, `graph.history` lists
   * them. Needs a store with `append`. @default none; with `true`, the last 1,000
   */
  readonly history?:
    | boolean
    | { readonly last?: number | undefined; readonly maxAgeMs?: number | undefined }
    | undefined;
  /** Handlers for every run of the agent. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** The runtime of the agent's graph. @default the default runtime */
  readonly runtime?: Runtime | undefined;
}
