import type { AgentEvent } from "../../agents/agent-event.js";
import type { AgentResult } from "../../agents/agent-result.js";
import type { AgentStream } from "../../agents/agent-stream.js";
import type { ResumeTarget } from "../../agents/call-options.js";
import type { Answers } from "../../compose/options.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import type { MastraCallOptions, MastraPrompt, MastraResumeOptions } from "./call-options.js";

/** The event stream of an agent, with the property names of Mastra. */
export type MastraAgentStream<Output = string> = AgentStream<Output> & {
  /** The events; the stream itself. */
  readonly fullStream: StreamReader<AgentEvent>;
};

/** Returns the same agent with another schema for its answers. */
export const withOutput: unique symbol = Symbol.for("kumiko/mastra/with-output") as never;

/** An {@link Agent} of any type, as `getAgent` of a step or tool returns it. */
export interface AnyAgent {
  /** The id of the agent. */
  readonly id: string;
  /** The name of the agent. */
  readonly name: string;
  /** The agent's description. */
  readonly description: string | undefined;
  /** Runs the agent until its end. */
  generate(prompt: MastraPrompt, options?: MastraCallOptions): Promise<AgentResult<unknown>>;
  /** Runs the agent and streams its events. */
  stream(prompt: MastraPrompt, options?: MastraCallOptions): Promise<MastraAgentStream<unknown>>;
  [withOutput](schema: AnyStandardSchema | JsonSchema): AnyAgent;
  /** Resumes a run that waits. */
  resume(run: ResumeTarget, answers?: Answers, options?: MastraResumeOptions): Promise<AgentResult<unknown>>;
}
