import type { RequestContext } from "../../components/request-context.js";
import { KumikoError, messageOf } from "../../errors.js";
import { type Fields, isFields } from "../../is.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import type { AnyAgent } from "../agent/any-agent.js";
import type { MastraPrompt } from "../agent/call-options.js";
import type { AnyMastra } from "../any-mastra.js";
import { invalidBody } from "../errors.js";
import type { AnyWorkflow } from "../workflow/any-workflow.js";
import type { WorkflowResult } from "../workflow/workflow-result.js";
import { pathMatcher } from "./server-chain.js";

interface Call {
  readonly request: Request;
  readonly id: string;
  readonly requestContext: RequestContext;
}

type Route = readonly [method: string, path: string, answer: (mastra: AnyMastra, call: Call) => Promise<Response>];

const routes: readonly Route[] = [
  ["GET", "/api/agents", async (mastra) => Response.json(mapped(mastra.listAgents(), describeAgent))],
  ["GET", "/api/workflows", async (mastra) => Response.json(mapped(mastra.listWorkflows(), describeWorkflow))],
  ["POST", "/api/agents/:id/generate", generate],
  ["POST", "/api/agents/:id/stream", stream],
  ["POST", "/api/workflows/:id/start", start],
  ["POST", "/api/workflows/:id/resume", resume],
];
const matchers = routes.map(([method, path, answer]) => ({ method, match: pathMatcher(path), answer }));

/** The HTTP routes of a {@link Mastra}. */
export class Routes {
  readonly #mastra: AnyMastra;

  constructor(mastra: AnyMastra) {
    this.#mastra = mastra;
  }

  async answer(request: Request, requestContext: RequestContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    for (const { method, match, answer } of matchers) {
      const params = method === request.method ? match(pathname) : undefined;
      if (params !== undefined) return answer(this.#mastra, { request, id: params.id ?? "", requestContext });
    }
    return Response.json({ error: `There is no route ${request.method} ${pathname}.` }, { status: 404 });
  }
}

/** Whether a request is for one of the routes. */
export function isRoute(method: string, path: string): boolean {
  return matchers.some((route) => route.method === method && route.match(path) !== undefined);
}

async function generate(mastra: AnyMastra, call: Call): Promise<Response> {
  const agent = mastra.getAgent(call.id);
  const body = await bodyOf(call, ["messages", "prompt", ...callFields]);
  const result = await agent.generate(promptIn(body), optionsIn(body, call));
  const { text, messages, steps, usage, finishReason, interrupts, checkpointId, threadId } = result;
  return Response.json({
    ...{ text, finishReason, usage, messages, steps, interrupts, checkpointId, threadId },
    ...outputOf(result),
  });
}

async function stream(mastra: AnyMastra, call: Call): Promise<Response> {
  const agent = mastra.getAgent(call.id);
  const body = await bodyOf(call, ["messages", "prompt", ...callFields]);
  return eventStream(await agent.stream(promptIn(body), optionsIn(body, call)));
}

async function start(mastra: AnyMastra, call: Call): Promise<Response> {
  const workflow = mastra.getWorkflow(call.id);
  const { inputData, initialState, runId, ...values } = await bodyOf(call, [
    ...["inputData", "initialState", "runId", "runtimeContext", "requestContext"],
  ]);
  const run = workflow.createRun(idOfRun(call, runId));
  const options = { inputData, ...(isFields(initialState) && { initialState }) };
  return resultResponse(
    await run.start({ ...options, requestContext: contextOf(values, call), abortSignal: call.request.signal }),
  );
}

async function resume(mastra: AnyMastra, call: Call): Promise<Response> {
  const workflow = mastra.getWorkflow(call.id);
  const { runId, ...body } = await bodyOf(call, [
    ...["runId", "step", "label", "resumeData", "forEachIndex", "interruptId", "runtimeContext", "requestContext"],
  ]);
  const id = idOfRun(call, runId);
  if (id.runId === undefined) throw invalidBody("needs a runId, unless the query has one");
  const { runtimeContext, requestContext, ...given } = body;
  const run = workflow.createRun(id);
  const context = contextOf({ runtimeContext, requestContext }, call);
  return resultResponse(
    await run.resume({ ...(given as object), requestContext: context, abortSignal: call.request.signal }),
  );
}

const callFields = ["threadId", "maxSteps", "runtimeContext", "requestContext"];

async function bodyOf({ request }: Call, known: readonly string[]): Promise<Fields> {
  const text = await request.text();
  let body: unknown;
  try {
    body = text.trim() === "" ? {} : JSON.parse(text);
  } catch (cause) {
    throw invalidBody(`must be JSON (${messageOf(cause)})`);
  }
  if (!isFields(body)) throw invalidBody("must be a JSON object");
  const other = Object.keys(body).find((name) => !known.includes(name));
  if (other !== undefined) throw invalidBody(`has an unknown field "${other}". Fields: ${known.join(", ")}`);
  return body;
}

function promptIn({ messages, prompt }: Fields): MastraPrompt {
  const given = messages ?? prompt;
  if (given !== undefined && messages !== undefined && prompt !== undefined) {
    throw invalidBody("has both messages and prompt. Send only one of them");
  }
  if (typeof given === "string" || isFields(given) || Array.isArray(given)) return given as MastraPrompt;
  throw invalidBody("needs messages: a string, a message, or an array of them");
}

function optionsIn({ threadId, maxSteps, ...values }: Fields, call: Call) {
  return {
    ...(typeof threadId === "string" && { threadId }),
    ...(typeof maxSteps === "number" && { maxSteps }),
    requestContext: contextOf(values, call),
    abortSignal: call.request.signal,
  };
}

/** Adds the values of the client to the request context. Values set by middleware win. */
function contextOf({ runtimeContext, requestContext }: Fields, call: Call): RequestContext {
  if (runtimeContext !== undefined && requestContext !== undefined) {
    throw invalidBody(
      "has both runtimeContext and requestContext, which are two names of the same field. Send only one of them",
    );
  }
  const given = runtimeContext ?? requestContext ?? {};
  if (!isFields(given)) throw invalidBody("has a runtimeContext that is not an object");
  const context = call.requestContext;
  for (const [name, value] of Object.entries(given)) if (!context.has(name)) context.set(name, value);
  return context;
}

function idOfRun({ request }: Call, given: unknown): { readonly runId?: string } {
  const runId = given ?? new URL(request.url).searchParams.get("runId") ?? undefined;
  if (runId === undefined) return {};
  if (typeof runId !== "string" || runId === "") throw invalidBody("has a runId that is not a non-empty string");
  return { runId };
}

/** The response for the result of a run. Errors are sent as name, message and code, without their stack. */
function resultResponse(result: WorkflowResult): Response {
  const steps = Object.entries(result.steps).map(([id, step]) => {
    return [id, step.error === undefined ? step : { ...step, error: errorFields(step.error) }] as const;
  });
  const error = result.status === "failed" ? { error: errorFields(result.error) } : {};
  return Response.json({ ...result, steps: Object.fromEntries(steps), ...error });
}

function errorFields(error: Error): object {
  return { name: error.name, message: error.message, ...(KumikoError.is(error) && { code: error.code }) };
}

function outputOf(result: { readonly output: unknown }): object {
  try {
    return { output: result.output };
  } catch {
    return {};
  }
}

function mapped<T>(entries: Readonly<Record<string, T>>, describe: (entry: T) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, describe(entry)]));
}

function describeAgent({ id, name, description }: AnyAgent): object {
  return { id, name, description };
}

function describeWorkflow({ id, description, inputSchema, outputSchema }: AnyWorkflow): object {
  return { id, description, inputSchema: schemaOf(inputSchema), outputSchema: schemaOf(outputSchema) };
}

function schemaOf(schema: AnyWorkflow["inputSchema"]): object | undefined {
  try {
    return schema && toJsonSchema(schema);
  } catch {
    return undefined;
  }
}

/**
 * A response that streams events as server-sent events, each with one JSON object, and ends with `[DONE]`. If the client
 * disconnects, the run is cancelled.
 */
function eventStream(events: StreamReader<object>): Response {
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const next = await nextText(iterator);
        controller.enqueue(encoder.encode(`data: ${next.text}\n\n`));
        if (next.isLast) controller.close();
      },
      async cancel(reason: unknown) {
        await events.cancel(reason ?? new DOMException("The client disconnected.", "AbortError"));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform" };
  return new Response(body, { headers });
}

/** The next event as text. A failing stream has already sent its error as an event. */
async function nextText(iterator: AsyncIterator<object>): Promise<{ readonly text: string; readonly isLast: boolean }> {
  try {
    const { done, value } = await iterator.next();
    return done === true ? { text: "[DONE]", isLast: true } : { text: JSON.stringify(value), isLast: false };
  } catch {
    return { text: "[DONE]", isLast: true };
  }
}
