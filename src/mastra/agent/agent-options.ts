import type { AgentContext } from "../../agents/agent-context.js";
import type { AgentOptions } from "../../agents/agent-options.js";
import type { RequestContext } from "../../components/request-context.js";
import type { Model } from "../../models/to-model.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { AgenticToolsNodeConfig } from "../../tools/node/config.js";
import type { AnyMastra } from "../any-mastra.js";
import type { Untyped } from "../untyped.js";

/** What functions in the options of an agent get. */
export interface MastraAgentContext extends Omit<AgentContext, "requestContext"> {
  readonly requestContext: RequestContext<Record<string, Untyped>>;
  /** The older name of `requestContext`. */
  readonly runtimeContext: RequestContext<Record<string, Untyped>>;
  readonly mastra: AnyMastra;
}

/** A value, or what works it out for each call. */
export type Dynamic<T> = T | ((context: MastraAgentContext) => T | Promise<T>);

/** What an agent is made of: what `createAgent` takes, with Mastra's names. */
export interface MastraAgentOptions<Schema extends AnyStandardSchema | JsonSchema | undefined = undefined>
  extends Omit<AgentOptions<Schema>, "name" | "model" | "instructions" | "tools"> {
  /** By which it is found. @default its name */
  readonly id?: string | undefined;
  /** Any text. @default its id, else "agent" */
  readonly name?: string | undefined;
  readonly model: Dynamic<Model>;
  readonly instructions?: Dynamic<string | readonly AgenticMessage[]> | undefined;
  /** A record, whose keys are the names for the model, or a list. */
  readonly tools?: Dynamic<NonNullable<AgenticToolsNodeConfig["tools"]>> | undefined;
}
