import type { Handler } from "../callbacks/handler.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { Runtime } from "../compose/runtime.js";
import type { ModelRetryPolicy } from "../models/retry-model.js";
import type { Model } from "../models/to-model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../schema/standard-schema.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import type { ApprovalOption } from "../tools/define/approval-option.js";
import type { AgenticToolsNodeConfig } from "../tools/node/config.js";
import type { Agent } from "./agent.js";
import type { Per, StopWhen } from "./agent-context.js";
import type { AgentModelOptions } from "./call-options.js";
import type { AnyMiddleware } from "./create-middleware.js";

/** How an answer is had that is a value of a schema. */
export type OutputMode = "auto" | "native" | "tool";

/** What happens when the last step still calls tools. */
export type OnMaxSteps = "answer" | "stop" | "throw";

/** What an agent is made of. */
export interface AgentOptions<Output extends AnyStandardSchema | JsonSchema | undefined = undefined> {
  /** A model of ours or of the AI SDK, or what chooses one for each turn. */
  readonly model: Per<Model>;
  /** Letters, digits, `_` and `-`, at most 64. @default "agent" */
  readonly name?: string | undefined;
  /** What others read who may call it as a tool, or hand over to it. */
  readonly description?: string | undefined;
  /** What the model is told first. They are not part of the log. */
  readonly instructions?: Per<string | readonly AgenticMessage[]> | undefined;
  /** Tools of any format, as a tools node takes them. */
  readonly tools?: Per<AgenticToolsNodeConfig["tools"]> | undefined;
  /** The schema of the answer. Without one the answer is a text. */
  readonly output?: Output | undefined;
  /** The model's own response format, or a tool by which it answers. @default "auto": without tools "native" */
  readonly outputMode?: OutputMode | undefined;
  /** How often the model may mend an answer that does not fit. @default 1 */
  readonly outputRepairs?: number | undefined;
  /** How many accepted answers a turn may have. @default 20 */
  readonly maxSteps?: number | undefined;
  /**
   * When the last step calls tools: one more answer without tools, an end without one, or `MAX_STEPS_EXCEEDED`.
   * @default "answer"
   */
  readonly onMaxSteps?: OnMaxSteps | undefined;
  /** Asked after each round of tools: whether the run is over. */
  readonly stopWhen?: StopWhen | readonly StopWhen[] | undefined;
  /** Tools whose result is the answer. */
  readonly returnDirectly?: readonly string[] | undefined;
  readonly middleware?: readonly AnyMiddleware[] | undefined;
  /** Agents that this one may hand the conversation over to. */
  readonly handoffs?: readonly Agent<unknown>[] | (() => readonly Agent<unknown>[]) | undefined;
  /** How often, and when, a model is asked again. @default { attempts: 3 } */
  readonly retry?: ModelRetryPolicy | false | undefined;
  /** Models to ask when the first one fails. */
  readonly fallbacks?: readonly Model[] | undefined;
  /** How long one attempt of a model may take. */
  readonly modelTimeoutMs?: number | undefined;
  /** How long a streaming model may be silent. */
  readonly modelIdleTimeoutMs?: number | undefined;
  /** What becomes of calls that fail: a result that the model reads, or the end of the run. @default "result" */
  readonly onToolError?: AgenticToolsNodeConfig["onToolError"];
  /** Whether tool calls need approval, in addition to what the tools require themselves. */
  readonly requireApproval?: ApprovalOption<AnyTool> | undefined;
  /** Everything else that a tools node can be told. */
  readonly toolsNode?:
    | (Omit<AgenticToolsNodeConfig, "tools" | "onToolError"> & {
        readonly requireApproval?: ApprovalOption<AnyTool> | undefined;
      })
    | undefined;
  /** Reads answers to suspended tools out of the next message of the user. @default false */
  readonly autoResumeSuspendedTools?: boolean | undefined;
  readonly modelOptions?: AgentModelOptions | undefined;
  /** Where runs that wait, and threads, are kept. */
  readonly store?: CheckpointStore | undefined;
  /** When a run is saved: after each node and tool call, or where it stops. @default "step" */
  readonly durability?: "exit" | "step" | undefined;
  /**
   * Keeps the earlier saves of turns and of runs with a `checkpointId`: `fork` goes on from one, `graph.history` lists them. Needs a
   * store that appends. @default none; of `true`, the last 1,000
   */
  readonly history?:
    | boolean
    | { readonly last?: number | undefined; readonly maxAgeMs?: number | undefined }
    | undefined;
  readonly callbacks?: readonly Handler[] | undefined;
  readonly runtime?: Runtime | undefined;
}
