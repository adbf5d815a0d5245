import type { Tool, ToolContext } from "../../components/tool.js";
import type { Runnable } from "../../compose/runnable.js";
import { messageOf } from "../../errors.js";
import { type Fields, hasMethod, isFields, isObject } from "../../is.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { createTool } from "../../tools/define/create-tool.js";
import { kindOf } from "../../wording.js";
import { invalidMcpOption } from "../errors.js";
import type { McpAgent, McpGraph, McpWorkflow } from "./options.js";

const questionSchema: JsonSchema = {
  type: "object",
  properties: { message: { type: "string", description: "The question for the agent." } },
  required: ["message"],
};

/** The tool `ask_<key>`, which asks an agent a question and returns its answer. */
export function askAgentTool(key: string, agent: McpAgent): Tool<never> {
  const description = describe("agent", key, agent.description ?? agent.getDescription?.());
  return createTool({
    id: `ask_${key}`,
    description: `Ask agent \`${agent.name ?? key}\` a question. Agent description: ${description}`,
    inputSchema: questionSchema,
    execute: (input, ctx) => askAgent(key, agent, String(input.message), ctx),
  });
}

/** The saved part of an answer. While the agent waits for the user, the call resumes it instead of asking it again. */
interface AgentAnswer {
  readonly text: string;
  readonly checkpointId: string | undefined;
  readonly interrupts: readonly { readonly id: string; readonly info: unknown; readonly schema?: JsonSchema }[];
}

async function askAgent(key: string, agent: McpAgent, message: string, ctx: ToolContext): Promise<string> {
  const { signal, requestContext } = ctx;
  // Mastra agents take the signal as `abortSignal`, which agents of this package reject as unknown
  const isOwn = "asTool" in agent;
  const options = { parent: ctx, signal, requestContext, ...(!isOwn && { abortSignal: signal }) };
  let answer = await ctx.once("agent", async () => answerOf(key, await agent.generate(message, options as never)));
  for (let round = 1; answer.interrupts.length > 0; round++) {
    const { checkpointId } = answer;
    if (checkpointId === undefined || agent.resume === undefined) {
      throw new Error(`Agent "${key}" waits for an answer, but its run was not saved. Give the agent a store.`);
    }
    const asked = answer.interrupts.map(({ id, info, schema }) => ctx.ask(`agent:${id}`, info, schema));
    const given = await Promise.all(asked);
    const answers = Object.fromEntries(answer.interrupts.map(({ id }, index) => [id, given[index]]));
    const resume = agent.resume.bind(agent);
    answer = await ctx.once(`agent:${round}`, async () =>
      answerOf(key, await resume({ checkpointId } as never, answers as never, { signal: ctx.signal } as never)),
    );
  }
  return answer.text;
}

function answerOf(key: string, result: unknown): AgentAnswer {
  if (typeof result === "string") return { text: result, checkpointId: undefined, interrupts: [] };
  if (!isFields(result)) {
    throw new Error(
      `generate of agent "${key}" must return a string, or an object with text or output (got ${kindOf(result)}).`,
    );
  }
  const { text, output, checkpointId, finishReason, interrupts } = result;
  const waits = finishReason === "waiting" && Array.isArray(interrupts) ? interrupts : [];
  return {
    text:
      typeof text === "string" ? text : typeof output === "string" ? output : (JSON.stringify(output ?? result) ?? ""),
    checkpointId: typeof checkpointId === "string" ? checkpointId : undefined,
    interrupts: waits.map(({ id, info, schema }) => ({ id, info, ...(schema !== undefined && { schema }) })),
  };
}

/** The tool `run_<key>`, which runs a graph, chain or workflow as a child of the call. */
export function runGraphTool(key: string, { runnable, description, inputSchema, outputSchema }: McpGraph): Tool<never> {
  const run = runnable as Runnable<unknown, unknown>;
  if (typeof run?.invoke !== "function") {
    throw invalidMcpOption(`graphs["${key}"] of an MCPServer needs a runnable, such as the result of compile().`);
  }
  return createTool({
    id: `run_${key}`,
    description: describe("graph", key, description),
    inputSchema,
    outputSchema,
    execute: (input: unknown, ctx: ToolContext) => run.invoke(input, { parent: ctx, key }),
  });
}

/** The tool `run_<key>`, which runs a workflow with the interface of Mastra. */
export function runWorkflowTool(key: string, workflow: McpWorkflow): Tool<never> {
  const { inputSchema, outputSchema } = workflow;
  return createTool({
    id: `run_${key}`,
    description: describe("workflow", key, workflow.description),
    inputSchema,
    outputSchema,
    execute: (input: unknown, ctx: ToolContext) => runWorkflow(key, workflow, input, ctx),
  });
}

interface WorkflowRun {
  start(options: object): Promise<unknown>;
  resume?(options: object): Promise<unknown>;
  cancel?(): unknown;
}

/** The outcome of a run, or why it is suspended. */
interface WorkflowState {
  readonly status: string;
  readonly result?: unknown;
  readonly error?: string;
  readonly step?: unknown;
  readonly payload?: unknown;
}

async function runWorkflow(key: string, workflow: McpWorkflow, input: unknown, ctx: ToolContext): Promise<unknown> {
  const runId = await ctx.once("workflow:id", () => globalThis.crypto.randomUUID());
  const { requestContext, signal } = ctx;
  // a callee that supports both names would reject both at once, so the older one is not enumerable
  const values = (given: object) =>
    Object.defineProperty({ ...given, requestContext }, "runtimeContext", { value: requestContext });
  const open = async (): Promise<WorkflowRun> => {
    const run = await workflow.createRun({ runId } as never);
    if (!hasMethod(run, "start"))
      throw new Error(`createRun of workflow "${key}" must return a run with the method start (got ${kindOf(run)}).`);
    return run as WorkflowRun;
  };
  let state = await ctx.once("workflow", async () => {
    const run = await open();
    return stateOf(key, await cancellable(run, signal, () => run.start(values({ inputData: input }))));
  });
  for (let round = 1; state.status === "suspended"; round++) {
    const { step, payload } = state;
    const resumeData = await ctx.ask(`workflow:${round}:ask`, payload, resumeSchemaOf(workflow, step));
    state = await ctx.once(`workflow:${round}`, async () => {
      const run = await open();
      const resume = run.resume?.bind(run);
      if (resume === undefined) throw new Error(`Workflow "${key}" is suspended, but its run has no method resume.`);
      return stateOf(key, await cancellable(run, signal, () => resume(values({ step, resumeData }))));
    });
  }
  if (state.status === "success") return state.result;
  throw new Error(
    `Workflow "${key}" ended with status "${state.status}"${state.error === undefined ? "" : `: ${state.error}`}`,
  );
}

function stateOf(key: string, outcome: unknown): WorkflowState {
  const { status, result, error, suspended, suspendPayload } = isFields(outcome) ? outcome : {};
  if (typeof status !== "string")
    throw new Error(`A run of workflow "${key}" must return an object with a status (got ${kindOf(outcome)}).`);
  const step: unknown = Array.isArray(suspended) ? suspended[0] : undefined;
  return {
    status,
    ...(result !== undefined && { result }),
    ...(error !== undefined && error !== null && { error: messageOf(error) }),
    ...(step !== undefined && { step }),
    ...(suspendPayload !== undefined && { payload: payloadOf(suspendPayload, step) }),
  };
}

/**
 * The resume schema of a suspended step, if the workflow lists its steps. A nested workflow is a step with steps of its
 * own.
 */
function resumeSchemaOf(workflow: object, step: unknown): JsonSchema | undefined {
  let found: unknown = workflow;
  for (const id of pathOf(step)) {
    const steps: unknown = isObject(found) ? Reflect.get(found, "steps") : undefined;
    found = isObject(steps) && typeof id === "string" ? Reflect.get(steps, id) : undefined;
  }
  const schema: unknown = isObject(found) ? Reflect.get(found, "resumeSchema") : undefined;
  try {
    return isObject(schema) ? toJsonSchema(schema as AnyStandardSchema | JsonSchema, { side: "input" }) : undefined;
  } catch {
    return undefined; // the workflow validates the answer itself
  }
}

function pathOf(step: unknown): readonly unknown[] {
  return Array.isArray(step) ? step : [step];
}

/** Finds the payload of a step, which is nested by the path of the step. */
function payloadOf(payload: unknown, step: unknown): unknown {
  let found: Fields | unknown = payload;
  for (const key of pathOf(step)) if (isFields(found) && typeof key === "string" && key in found) found = found[key];
  return found;
}

/** Cancels the run when the signal is aborted: `start` and `resume` take no signal. */
async function cancellable<T>(run: WorkflowRun, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const stop = () => void run.cancel?.();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function describe(kind: string, key: string, description: unknown): string {
  if (typeof description === "string" && description.trim() !== "") return description;
  throw invalidMcpOption(
    `${kind}s["${key}"] of an MCPServer needs a non-empty description, by which models decide when to call the tool.`,
  );
}
