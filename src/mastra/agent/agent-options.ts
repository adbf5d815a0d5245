import type { AgentContext } from "../../agents/agent-context.js";
import type { AgentOptions } from "../../agents/agent-options.js";
import { checkOptions } from "../../check-options.js";
import type { RequestContext } from "../../components/request-context.js";
import type { Model } from "../../models/model.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { AgenticToolsNodeConfig } from "../../tools/node/config.js";
import type { AnyMastra } from "../any-mastra.js";
import { bothOfPair, invalidMastraOption } from "../errors.js";
import type { Untyped } from "../untyped.js";
import { refused } from "./refused-options.js";

/** The argument of functions in the options of an agent. */
export interface MastraAgentContext extends Omit<AgentContext, "requestContext"> {
  /** The values of this request. */
  readonly requestContext: RequestContext<Record<string, Untyped>>;
  /** The older name of `requestContext`. */
  readonly runtimeContext: RequestContext<Record<string, Untyped>>;
  /** The Mastra instance that the agent is registered with. */
  readonly mastra: AnyMastra;
}

/** A value, or a function that computes it for each call. */
export type Dynamic<T> = T | ((context: MastraAgentContext) => T | Promise<T>);

/**
 * Options of {@link Agent}: those of `createAgent`, but `instructions`, `model` and `tools` can be functions of the
 * request.
 */
export interface MastraAgentOptions<Schema extends AnyStandardSchema | JsonSchema | undefined = undefined>
  extends Omit<AgentOptions<Schema>, "name" | "model" | "instructions" | "tools"> {
  /** The id for `getAgentById`. @default the name */
  readonly id?: string | undefined;
  /** The name of the agent; any string. @default the id, or "agent" */
  readonly name?: string | undefined;
  /** A model, also one of the AI SDK, its name in the `models` of the Mastra, or a function that chooses one. */
  readonly model: Dynamic<Model>;
  /** The instructions of the model, or a function that returns them. */
  readonly instructions?: Dynamic<string | readonly AgenticMessage[]> | undefined;
  /** A record whose keys are the tool names for the model, or an array. */
  readonly tools?: Dynamic<NonNullable<AgenticToolsNodeConfig["tools"]>> | undefined;
  /** How often a failed call of the model is repeated: `retry: { attempts }`, less one. */
  readonly maxRetries?: number | undefined;
}

export type AnyAgentOptions = MastraAgentOptions<AnyStandardSchema | JsonSchema | undefined>;

/** Checks the options of an agent, and returns its names. */
export function readNames(options: object): { readonly id: string; readonly name: string } {
  checkOptions("new Agent", options, optionNames, { hint: refused.agent });
  const { id, name, maxRetries, retry } = options as AnyAgentOptions;
  for (const [option, value] of Object.entries({ id, name })) {
    if (value === undefined || (typeof value === "string" && value.trim() !== "")) continue;
    throw invalidMastraOption(`${option} of new Agent must be a non-empty string (got ${String(value)}).`);
  }
  if (maxRetries !== undefined && retry !== undefined) throw bothOfPair("new Agent", "maxRetries", "retry");
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && maxRetries >= 0))
    throw invalidMastraOption(
      `maxRetries of new Agent must be a whole number of at least 0 (got ${String(maxRetries)}).`,
    );
  return { id: id ?? name ?? "agent", name: name ?? id ?? "agent" };
}

const optionNames = [
  ...["id", "name", "description", "model", "instructions", "tools", "output", "outputMode", "outputRepairs"],
  ...["maxSteps", "onMaxSteps", "stopWhen", "returnDirectly", "middleware", "handoffs", "retry", "fallbacks"],
  ...["modelTimeoutMs", "modelIdleTimeoutMs", "onToolError", "toolsNode", "maxRetries"],
  ...["autoResumeSuspendedTools", "modelOptions", "store", "durability", "history", "callbacks", "runtime"],
];

/** Names in `kumiko/agents` allow fewer characters, because they become parts of tool names. */
export function safeName(name: string): string {
  const safe = name.replace(/[^\w-]+/g, "_").slice(0, 64);
  return /[A-Za-z0-9]/.test(safe) ? safe : "agent";
}
