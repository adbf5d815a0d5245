import type { NodeContext } from "../../components/context.js";
import { type Fields, isFields, isObject } from "../../is.js";
import { cannotAsk, protocolError, stateRejected, tooManyRounds } from "../errors.js";

/** The parameters added to a request that is repeated with the input that the server asked for. */
export interface ContinuationParams {
  inputResponses?: Record<string, unknown>;
  requestState?: string;
}

/** The origin of a request, and how input requests of the server are answered. */
export interface RequestScope {
  readonly server: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly name: string;
  /** Without a context, input requests of the server cannot be answered. */
  readonly ctx: NodeContext | undefined;
  answer(key: string, request: Fields, ctx: NodeContext): Promise<unknown>;
}

const maxRounds = 10;

/** A saved result. Its time tells how old its state is if the server rejects it. */
interface SavedResult {
  readonly result: unknown;
  readonly at: number;
}

/**
 * Sends a request; while the server asks for input, answers and sends it again. Each question is saved before it is asked, so
 * that the run can wait for days and continue in another process.
 */
export async function exchange(
  scope: RequestScope,
  send: (more: ContinuationParams) => Promise<unknown>,
): Promise<unknown> {
  const { server, name } = scope;
  const ctx = runContextOf(scope.ctx);
  if (ctx === undefined || !ctx.resume.wasInterrupted) {
    const result = await send({});
    if (!isInputRequired(result)) return result;
    if (ctx === undefined) throw cannotAsk(server, methodsOf(result).join(", ") || name);
    return answerRounds(scope, ctx, send, await ctx.once("mcp:0", () => saved(result)));
  }
  return answerRounds(scope, ctx, send, await ctx.once("mcp:0", async () => saved(await send({}))));
}

/** The context if it is that of a run, which can ask and remember. Loaders, templates and tools can also be called alone. */
export function runContextOf(ctx: Partial<NodeContext> | undefined): NodeContext | undefined {
  return isObject(ctx?.resume) && typeof ctx.ask === "function" && typeof ctx.once === "function"
    ? (ctx as NodeContext)
    : undefined;
}

async function answerRounds(
  scope: RequestScope,
  ctx: NodeContext,
  send: (more: ContinuationParams) => Promise<unknown>,
  first: SavedResult,
): Promise<unknown> {
  let last = first;
  for (let round = 1; isInputRequired(last.result); round++) {
    if (round > maxRounds) throw tooManyRounds(scope.server, scope.name, maxRounds);
    const { result, at } = last;
    const more = await continuationOf(scope, ctx, result, round);
    last = await ctx.once(`mcp:${round}`, async () => {
      try {
        return saved(await send(more));
      } catch (cause) {
        throw isStateRejected(cause, more) ? stateRejected(scope.server, scope.name, Date.now() - at, cause) : cause;
      }
    });
  }
  return last.result;
}

async function continuationOf(
  scope: RequestScope,
  ctx: NodeContext,
  result: Fields,
  round: number,
): Promise<ContinuationParams> {
  const { inputRequests, requestState } = result;
  const requests = isFields(inputRequests) ? Object.entries(inputRequests) : [];
  const answers = await Promise.all(
    requests.map(async ([key, request]) => {
      if (!isFields(request))
        throw protocolError(scope.server, `sent an input request "${key}" that is not an object.`);
      return [key, await scope.answer(`mcp:${round}:${key}`, request, ctx)] as const;
    }),
  );
  return {
    ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
    ...(typeof requestState === "string" && { requestState }),
  };
}

function saved(result: unknown): SavedResult {
  return { result, at: Date.now() };
}

export function isInputRequired(result: unknown): result is Fields {
  return isFields(result) && result.resultType === "input_required";
}

function methodsOf({ inputRequests }: Fields): string[] {
  return isFields(inputRequests)
    ? Object.values(inputRequests).map((request) => String(isFields(request) ? request.method : request))
    : [];
}

const invalidParams = -32602;

function isStateRejected(error: unknown, { requestState }: ContinuationParams): boolean {
  return requestState !== undefined && isFields(error) && error.code === invalidParams;
}
