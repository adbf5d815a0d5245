import type { RequestContext } from "../../components/request-context.js";
import { messageOf } from "../../errors.js";
import { type Fields, isFields } from "../../is.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import { ErrorMask } from "../../ui/error-mask.js";
import { chunksOf } from "../agent/agent-stream.js";
import type { AnyAgent } from "../agent/any-agent.js";
import type { MastraPrompt } from "../agent/call-options.js";
import type { AnyMastra } from "../any-mastra.js";
import { invalidBody } from "../errors.js";
import type { AnyWorkflow } from "../workflow/any-workflow.js";
import { chunkResponse } from "./chunk-response.js";
import { maskedResult, runResponse } from "./masked-results.js";
import { pathMatcher } from "./path-matcher.js";

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

/** Texts of errors stay on the server. */
const mask = new ErrorMask(undefined);

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
  return Response.json(maskedResult(await agent.generate(promptIn(body), optionsIn(body, call))));
}

async function stream(mastra: AnyMastra, call: Call): Promise<Response> {
  const agent = mastra.getAgent(call.id);
  const body = await bodyOf(call, ["messages", "prompt", ...callFields]);
  const run = await agent.stream(promptIn(body), optionsIn(body, call));
  return chunkResponse(run[chunksOf]((event) => mask.event(event)));
}

async function start(mastra: AnyMastra, call: Call): Promise<Response> {
  const workflow = mastra.getWorkflow(call.id);
  const { inputData, initialState, runId, ...values } = await bodyOf(call, [
    ...["inputData", "initialState", "runId", "runtimeContext", "requestContext"],
  ]);
  const run = workflow.createRun(idOfRun(call, runId));
  if (initialState !== undefined && !isFields(initialState))
    throw invalidBody("has an initialState that is not an object");
  const options = { inputData, ...(initialState !== undefined && { initialState }) };
  return runResponse(
    mastra,
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
  return runResponse(
    mastra,
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
  if (threadId !== undefined && typeof threadId !== "string") throw invalidBody("has a threadId that is not a string");
  if (maxSteps !== undefined && typeof maxSteps !== "number") throw invalidBody("has a maxSteps that is not a number");
  return {
    ...(threadId !== undefined && { threadId }),
    ...(maxSteps !== undefined && { maxSteps }),
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
