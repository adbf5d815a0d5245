import type { ResumeTarget } from "../../agents/call-options.js";
import type { Answers } from "../../compose/options.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { Untyped } from "../untyped.js";
import type { MastraAgentResult } from "./agent-result.js";
import type { MastraAgentStream } from "./agent-stream.js";
import type { MastraCallOptions, MastraPrompt, MastraResumeOptions, MastraRunTarget } from "./call-options.js";

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
  generate(prompt: MastraPrompt, options?: MastraCallOptions): Promise<MastraAgentResult<Untyped>>;
  /** Runs the agent and streams its chunks. */
  stream(prompt: MastraPrompt, options?: MastraCallOptions): Promise<MastraAgentStream<Untyped>>;
  [withOutput](schema: AnyStandardSchema | JsonSchema): AnyAgent;
  /** Resumes a run that waits. */
  resume(run: ResumeTarget, answers?: Answers, options?: MastraResumeOptions): Promise<MastraAgentResult<Untyped>>;
  /** Approves a tool call of a suspended run. */
  approveToolCall(options: MastraRunTarget & MastraResumeOptions): Promise<MastraAgentStream<Untyped>>;
  /** Declines a tool call of a suspended run. */
  declineToolCall(
    options: MastraRunTarget & MastraResumeOptions & { readonly reason?: string | undefined },
  ): Promise<MastraAgentStream<Untyped>>;
}
