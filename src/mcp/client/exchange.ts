import type { NodeContext } from "../../components/context.js";
import { type Fields, isFields } from "../../is.js";
import { cannotAsk, protocolError, stateRejected, tooManyRounds } from "../errors.js";

/** What goes with a request that is repeated because the server asked for something. */
export interface ContinuationParams {
  inputResponses?: Record<string, unknown>;
  requestState?: string;
}

/** Where a request comes from, and how what the server asks is answered there. */
export interface ExchangePlace {
  readonly server: string;
  /** Of the tool, the prompt or the resource. */
  readonly name: string;
  /** Without one, what a server asks cannot be answered. */
  readonly ctx: NodeContext | undefined;
  answer(key: string, request: Fields, ctx: NodeContext): Promise<unknown>;
}

const mostRounds = 10;

/** A result as it is kept: how old its state is matters when the server no longer knows it. */
interface Kept {
  readonly result: unknown;
  readonly at: number;
}

/**
 * Sends a request, answers what the server asks, and sends it again, until there is a result. Each question is kept before
 * it is asked: a run may wait there for days, and go on in another process.
 */
export async function exchange(
  place: ExchangePlace,
  send: (more: ContinuationParams) => Promise<unknown>,
): Promise<unknown> {
  const { ctx, server, name } = place;
  if (ctx === undefined || !ctx.resume.wasInterrupted) {
    const result = await send({});
    if (!isInputRequired(result)) return result;
    if (ctx === undefined) throw cannotAsk(server, methodsOf(result).join(", ") || name);
    return answerRounds(place, ctx, send, await ctx.once("mcp:0", () => kept(result)));
  }
  return answerRounds(place, ctx, send, await ctx.once("mcp:0", async () => kept(await send({}))));
}

async function answerRounds(
  place: ExchangePlace,
  ctx: NodeContext,
  send: (more: ContinuationParams) => Promise<unknown>,
  first: Kept,
): Promise<unknown> {
  let last = first;
  for (let round = 1; isInputRequired(last.result); round++) {
    if (round > mostRounds) throw tooManyRounds(place.server, place.name, mostRounds);
    const { result, at } = last;
    const more = await continuationOf(place, ctx, result, round);
    last = await ctx.once(`mcp:${round}`, async () => {
      try {
        return kept(await send(more));
      } catch (cause) {
        throw isStateRejected(cause, more) ? stateRejected(place.server, place.name, Date.now() - at, cause) : cause;
      }
    });
  }
  return last.result;
}

async function continuationOf(
  place: ExchangePlace,
  ctx: NodeContext,
  result: Fields,
  round: number,
): Promise<ContinuationParams> {
  const { inputRequests, requestState } = result;
  const requests = isFields(inputRequests) ? Object.entries(inputRequests) : [];
  const answers = await Promise.all(
    requests.map(async ([key, request]) => {
      if (!isFields(request))
        throw protocolError(place.server, `sent an input request "${key}" that is not an object.`);
      return [key, await place.answer(`mcp:${round}:${key}`, request, ctx)] as const;
    }),
  );
  return {
    ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
    ...(typeof requestState === "string" && { requestState }),
  };
}

function kept(result: unknown): Kept {
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
