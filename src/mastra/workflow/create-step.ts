import type { AgentCallOptions } from "../../agents/call-options.js";
import { checkOptions } from "../../check-options.js";
import { isObject } from "../../is.js";
import { shorten } from "../../schema/shorten.js";
import type { OnlyInputSchema } from "../../tools/define/create-tool.js";
import { kindOf } from "../../wording.js";
import { isMastraAgent } from "../agent/agent.js";
import { type AnyAgent, withOutput } from "../agent/any-agent.js";
import { refused } from "../agent/refused-options.js";
import { checkMastraSchemas, invalidStep } from "../errors.js";
import type { AnyMastraTool } from "../tools/any-tool.js";
import { isTool } from "../tools/create-tool.js";
import { runTool } from "../tools/run-tool.js";
import type { AcceptedBy, AnySchema, ParsedBy } from "./any-schema.js";
import { type AnyStep, isStep, type Step, type StepCall, type StepOptions, stepBody } from "./step.js";

/** A step with its schemas and its function. @internal */
export interface CreatedStep<InputSchema, OutputSchema, In = AcceptedBy<InputSchema>, Out = ParsedBy<OutputSchema>>
  extends Step<In, Out> {
  readonly inputSchema: InputSchema & (AnySchema | undefined);
  readonly outputSchema: OutputSchema & (AnySchema | undefined);
  /** The function of the step, to call it without a workflow. */
  readonly execute: (params: never) => unknown;
}

/** Options of a step that runs a tool. @internal */
export interface ToolStepOptions {
  /** The number of retries after a failure. @default `retryConfig.attempts` of the workflow, or 0 */
  readonly retries?: number | undefined;
}

/** Options of a step that runs an agent: those of the step, and those of each call of the agent. @internal */
export interface AgentStepOptions extends ToolStepOptions, Pick<AgentCallOptions, "maxSteps" | "modelOptions"> {
  /** Answers must fit the schema, and become the output of the step in place of `{ text }`. */
  readonly structuredOutput?: { readonly schema: AnySchema } | undefined;
}

/** The input of an agent as a step. @internal */
interface AgentPrompt {
  readonly prompt: string;
}

const optionNames = [
  ...["id", "description", "inputSchema", "outputSchema", "resumeSchema", "suspendSchema", "stateSchema"],
  ...["retries", "execute"],
];

/**
 * Creates a step from a function, a tool, an agent (with input `{ prompt }` and output `{ text }`) or a workflow. With
 * `structuredOutput: { schema }`, the output of an agent is the object of its answer.
 *
 * @example
 * import { createStep } from "kumiko/mastra";
 *
 * const approve = createStep({
 *   id: "approve",
 *   inputSchema: z.object({ amount: z.number() }),
 *   outputSchema: z.object({ approved: z.boolean() }),
 *   resumeSchema: z.object({ approved: z.boolean() }),
 *   execute: async ({ inputData, resumeData, suspend }) => resumeData ?? (await suspend({ amount: inputData.amount })),
 * });
 */
export function createStep<
  InputSchema extends AnySchema | undefined = undefined,
  OutputSchema extends AnySchema | undefined = undefined,
  ResumeSchema extends AnySchema | undefined = undefined,
  SuspendSchema extends AnySchema | undefined = undefined,
  StateSchema extends AnySchema | undefined = undefined,
>(
  options: StepOptions<InputSchema, OutputSchema, ResumeSchema, SuspendSchema, StateSchema> &
    OnlyInputSchema<InputSchema>,
): CreatedStep<InputSchema, OutputSchema>;
export function createStep(
  agent: AnyAgent,
  options?: AgentStepOptions & { readonly structuredOutput?: undefined },
): Step<AgentPrompt, { text: string }>;
export function createStep<Schema extends AnySchema>(
  agent: AnyAgent,
  options: AgentStepOptions & { readonly structuredOutput: { readonly schema: Schema } },
): Step<AgentPrompt, ParsedBy<Schema>>;
export function createStep<InputSchema, OutputSchema>(
  tool: AnyMastraTool & { readonly inputSchema: InputSchema; readonly outputSchema: OutputSchema },
  options?: ToolStepOptions,
): CreatedStep<InputSchema, OutputSchema>;
export function createStep<In, Out>(step: Step<In, Out>): Step<In, Out>;
export function createStep(given: unknown, options?: unknown): unknown {
  if (isStep(given) || !isObject(given)) checkNone(options, "a step");
  else if (isMastraAgent(given)) return stepOfAgent(given, options);
  else if (isTool(given)) return stepOfTool(given, options);
  else {
    checkNone(options, "a function");
    return stepOfFunction(given);
  }
  return toStep(given, "createStep");
}

/** Throws if createStep got options for something that takes none. */
function checkNone(options: unknown, what: string): void {
  if (options === undefined) return;
  throw invalidStep(
    `createStep takes options beside an agent or a tool. Those of ${what} stand in its own options (got ${shorten(options)}).`,
  );
}

/**
 * Returns the same step with another id, to use it twice in a workflow.
 *
 * @example
 * import { cloneStep, createStep, createWorkflow } from "kumiko/mastra";
 *
 * const count = z.object({ count: z.number() });
 * const double = createStep({
 *   id: "double",
 *   inputSchema: count,
 *   outputSchema: count,
 *   execute: async ({ inputData }) => ({ count: inputData.count * 2 }),
 * });
 * const workflow = createWorkflow({ id: "quadruple", inputSchema: count, outputSchema: count })
 *   .then(double)
 *   .then(cloneStep(double, { id: "double-again" }))
 *   .commit();
 */
export function cloneStep<S extends AnyStep>(step: S, options: { readonly id: string }): S {
  if (!isStep(step)) throw invalidStep(`cloneStep takes a step (got ${kindOf(step)}).`);
  checkOptions("cloneStep", options, ["id"]);
  const { id } = options;
  checkId(id);
  const body = step[stepBody].bind(step);
  const { description, inputSchema, outputSchema, resumeSchema, suspendSchema, stateSchema, retries } = step;
  const schemas = { inputSchema, outputSchema, resumeSchema, suspendSchema, stateSchema };
  return Object.freeze({ id, description, ...schemas, retries, [stepBody]: body }) as never;
}

/** Converts an agent, a tool or a step to a step. `where` names the caller in the error message. */
export function toStep(given: unknown, where: string): AnyStep {
  if (isStep(given)) return given;
  if (isMastraAgent(given)) return stepOfAgent(given);
  if (isTool(given)) return stepOfTool(given);
  throw invalidStep(
    `${where} takes a step made with createStep, an agent, a tool or a workflow (got ${kindOf(given)}).`,
  );
}

function stepOfFunction(options: object): AnyStep {
  checkOptions("createStep", options, optionNames, { hint: refused.step });
  const { id, description, execute, retries, ...schemas } = options as StepOptions<
    AnySchema,
    AnySchema,
    AnySchema,
    AnySchema,
    AnySchema
  >;
  checkId(id);
  if (typeof execute !== "function")
    throw invalidStep(`execute of step "${id}" must be a function (got ${kindOf(execute)}).`);
  checkRetries(id, retries);
  checkMastraSchemas(`step "${id}"`, schemas);
  const body = ({ params }: StepCall): unknown => execute(params as never);
  return Object.freeze({ id, description, retries, ...schemas, execute, [stepBody]: body });
}

function checkRetries(id: string, retries: unknown): void {
  if (retries === undefined || (Number.isInteger(retries) && Number(retries) >= 0)) return;
  throw invalidStep(`retries of step "${id}" must be a whole number of at least 0 (got ${String(retries)}).`);
}

function checkId(id: unknown): void {
  if (typeof id !== "string" || id === "" || id === "__proto__" || id.length > 200) {
    throw invalidStep(`The id of a step must be a non-empty string of at most 200 characters (got ${String(id)}).`);
  }
}

const promptSchema = { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] } as const;
const textSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

const agentStepOptions = ["retries", "maxSteps", "modelOptions", "structuredOutput"];

function stepOfAgent(agent: AnyAgent, given: unknown = {}): AnyStep {
  const { id, description } = agent;
  const where = `createStep of agent "${agent.name}"`;
  checkOptions(where, given, agentStepOptions, { hint: refused.step });
  const { retries, structuredOutput, ...call } = given as AgentStepOptions;
  checkRetries(id, retries);
  const schema = structuredOutput === undefined ? undefined : schemaOf(where, structuredOutput);
  const body = async ({ params, ctx }: StepCall): Promise<unknown> => {
    const { prompt } = params.inputData as AgentPrompt;
    const answering = schema === undefined ? agent : agent[withOutput](schema);
    const { text, output } = await answering.generate(prompt, { ...call, parent: ctx, key: agent.id });
    return schema === undefined ? { text } : output;
  };
  return Object.freeze({
    ...{ id, description, inputSchema: promptSchema, outputSchema: schema ?? textSchema, retries, [stepBody]: body },
  });
}

function schemaOf(where: string, structuredOutput: object): AnySchema {
  checkOptions(`structuredOutput of ${where}`, structuredOutput, ["schema"]);
  const { schema } = structuredOutput as { readonly schema: AnySchema };
  checkMastraSchemas(`structuredOutput of ${where}`, { schema: schema ?? null });
  return schema;
}

function stepOfTool(tool: AnyMastraTool, given: unknown = {}): AnyStep {
  const { id, description, inputSchema, outputSchema, resumeSchema, suspendSchema } = tool as AnyStep & AnyMastraTool;
  checkOptions(`createStep of tool "${id}"`, given, ["retries"], { hint: refused.step });
  const { retries } = given as ToolStepOptions;
  checkRetries(id, retries);
  const schemas = { inputSchema, outputSchema, resumeSchema, suspendSchema };
  const body = (call: StepCall): unknown => runTool(tool, call);
  return Object.freeze({ id, description, ...schemas, retries, execute: tool.execute, [stepBody]: body }) as AnyStep;
}
