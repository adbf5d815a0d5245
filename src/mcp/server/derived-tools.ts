import type { Tool, ToolContext } from "../../components/tool.js";
import type { Runnable } from "../../compose/runnable.js";
import { messageOf } from "../../errors.js";
import { type Fields, isFields, isObject } from "../../is.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { createTool } from "../../tools/define/create-tool.js";
import { invalidMcpOption } from "../errors.js";
import type { McpAgent, McpGraph, McpWorkflow } from "./options.js";

const question: JsonSchema = {
  type: "object",
  properties: { message: { type: "string", description: "The question for the agent." } },
  required: ["message"],
};

/** `ask_<key>`: one question, one answer. */
export function askAgentTool(key: string, agent: McpAgent): Tool<never> {
  const description = describe("agent", key, agent.description ?? agent.getDescription?.());
  return createTool({
    id: `ask_${key}`,
    description: `Ask agent \`${agent.name ?? key}\` a question. Agent description: ${description}`,
    inputSchema: question,
    execute: (input, ctx) => askAgent(key, agent, String(input.message), ctx),
  });
}

/** What is kept of an answer, so that an agent that waits is not asked again. */
interface AgentAnswer {
  readonly text: string;
  readonly checkpointId: string | undefined;
  readonly interrupts: readonly { readonly id: string; readonly info: unknown; readonly schema?: JsonSchema }[];
}

async function askAgent(key: string, agent: McpAgent, message: string, ctx: ToolContext): Promise<string> {
  const { signal, requestContext } = ctx;
  // agents of this package refuse options that they do not know; others take the signal by another name
  const isOwn = "asTool" in agent;
  const options = { parent: ctx, signal, requestContext, ...(!isOwn && { abortSignal: signal }) };
  let answer = await ctx.once("agent", async () => answerOf(await agent.generate(message, options as never)));
  for (let round = 1; answer.interrupts.length > 0; round++) {
    const { checkpointId } = answer;
    if (checkpointId === undefined || agent.resume === undefined) {
      throw new Error(`Agent "${key}" waits for an answer and saved nothing. Give it a store.`);
    }
    const asked = answer.interrupts.map(({ id, info, schema }) => ctx.ask(`agent:${id}`, info, schema));
    const given = await Promise.all(asked);
    const answers = Object.fromEntries(answer.interrupts.map(({ id }, index) => [id, given[index]]));
    const resume = agent.resume.bind(agent);
    answer = await ctx.once(`agent:${round}`, async () =>
      answerOf(await resume({ checkpointId } as never, answers as never, { signal: ctx.signal } as never)),
    );
  }
  return answer.text;
}

function answerOf(result: unknown): AgentAnswer {
  if (typeof result === "string") return { text: result, checkpointId: undefined, interrupts: [] };
  const { text, output, checkpointId, finishReason, interrupts } = isFields(result) ? result : {};
  const waits = finishReason === "waiting" && Array.isArray(interrupts) ? interrupts : [];
  return {
    text:
      typeof text === "string" ? text : typeof output === "string" ? output : (JSON.stringify(output ?? result) ?? ""),
    checkpointId: typeof checkpointId === "string" ? checkpointId : undefined,
    interrupts: waits.map(({ id, info, schema }) => ({ id, info, ...(schema !== undefined && { schema }) })),
  };
}

/** `run_<key>`: a graph, chain or workflow, as a child of the call. */
export function runGraphTool(key: string, { runnable, description, inputSchema, outputSchema }: McpGraph): Tool<never> {
  const run = runnable as Runnable<unknown, unknown>;
  if (typeof run?.invoke !== "function") {
    throw invalidMcpOption(`graphs["${key}"] of an MCPServer needs a runnable: the result of compile().`);
  }
  return createTool({
    id: `run_${key}`,
    description: describe("graph", key, description),
    inputSchema,
    outputSchema,
    execute: (input: unknown, ctx: ToolContext) => run.invoke(input, { parent: ctx, key }),
  });
}

/** `run_<key>`: a workflow in the words of Mastra. */
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

/** What a run came to, as far as it goes on. */
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
  // who knows both names reads one of them: the older one is not listed
  const values = (given: object) =>
    Object.defineProperty({ ...given, requestContext }, "runtimeContext", { value: requestContext });
  const open = async (): Promise<WorkflowRun> => (await workflow.createRun({ runId } as never)) as WorkflowRun;
  let state = await ctx.once("workflow", async () => {
    const run = await open();
    return stateOf(await cancellable(run, signal, () => run.start(values({ inputData: input }))));
  });
  for (let round = 1; state.status === "suspended"; round++) {
    const { step, payload } = state;
    const resumeData = await ctx.ask(`workflow:${round}:ask`, payload, resumeSchemaOf(workflow, step));
    state = await ctx.once(`workflow:${round}`, async () => {
      const run = await open();
      const resume = run.resume?.bind(run);
      if (resume === undefined) throw new Error(`Workflow "${key}" is suspended, and its run has no resume.`);
      return stateOf(await cancellable(run, signal, () => resume(values({ step, resumeData }))));
    });
  }
  if (state.status === "success") return state.result;
  throw new Error(`Workflow "${key}" ended as ${state.status}${state.error === undefined ? "" : `: ${state.error}`}`);
}

function stateOf(outcome: unknown): WorkflowState {
  const { status, result, error, suspended, suspendPayload } = isFields(outcome) ? outcome : {};
  const step: unknown = Array.isArray(suspended) ? suspended[0] : undefined;
  return {
    status: String(status),
    ...(result !== undefined && { result }),
    ...(error !== undefined && error !== null && { error: messageOf(error) }),
    ...(step !== undefined && { step }),
    ...(suspendPayload !== undefined && { payload: payloadOf(suspendPayload, step) }),
  };
}

/** What a suspended step wants to go on with, where the workflow shows its steps. A workflow inside is a step that has some. */
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
    return undefined; // the workflow checks the answer by itself
  }
}

function pathOf(step: unknown): readonly unknown[] {
  return Array.isArray(step) ? step : [step];
}

/** Payloads stand under the path of their step. */
function payloadOf(payload: unknown, step: unknown): unknown {
  let found: Fields | unknown = payload;
  for (const key of pathOf(step)) if (isFields(found) && typeof key === "string" && key in found) found = found[key];
  return found;
}

/** A workflow takes no signal, but its run can be cancelled. */
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
    `${kind}s["${key}"] of an MCPServer needs a description that is not empty: models decide by it when to call.`,
  );
}
