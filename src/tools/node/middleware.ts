import type { ToolContext, ToolOutput } from "../../components/tool.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";

/** One call of one tool, as a middleware sees it. To change it, pass a changed copy to `next`. */
export interface ToolCall {
  /** The tool's name as the model called it. */
  readonly name: string;
  /** The text of the arguments. If a middleware changes it, it is parsed and validated again. */
  readonly arguments: string;
  /** The id of the call, the same as in its result. */
  readonly callId: string;
  /** The parsed and validated arguments. If a middleware changes it, the tool gets it as it is. */
  readonly input: unknown;
}

/**
 * Calls the tool, or the next middleware. Resolves to what the model will read, and rejects with what the tool threw. For a
 * tool that returned a stream it resolves to that stream, to be passed on.
 */
export type NextInvokable = (call: ToolCall, ctx: ToolContext) => Promise<ToolOutput>;

/** Calls the tool, or the next middleware, at the first read of the returned stream. */
export type NextStreamable = (call: ToolCall, ctx: ToolContext) => StreamReader<ToolOutput>;

/** Wraps calls that give one result. Called once per tool; the function that it returns runs for every call. */
export type InvokableMiddleware = (
  next: NextInvokable,
) => (call: ToolCall, ctx: ToolContext) => ToolOutput | Promise<ToolOutput>;

/** Wraps calls that stream. Called once per tool; the function that it returns runs for every call. */
export type StreamableMiddleware = (
  next: NextStreamable,
) => (call: ToolCall, ctx: ToolContext) => StreamSource<ToolOutput> | Promise<StreamSource<ToolOutput>>;

/**
 * Wraps the calls of tools. `invokable` is for tools that give one result, `streamable` for those that stream; a tool that
 * can do both is wrapped by both. Callback handlers see only what happens inside, the call of the tool itself. `next` may be called several times (a retry), or not
 * at all (a cache); without `ctx` it throws.
 *
 * @example
 * const timing: ToolCallMiddleware = {
 *   invokable: (next) => async (call, ctx) => {
 *     const startedAt = performance.now();
 *     try {
 *       return await next(call, ctx);
 *     } finally {
 *       console.log(call.name, performance.now() - startedAt);
 *     }
 *   },
 * };
 */
export interface ToolCallMiddleware {
  /** Wraps calls whose result is read as a whole. */
  readonly invokable?: InvokableMiddleware | undefined;
  /** Wraps calls whose result is streamed. */
  readonly streamable?: StreamableMiddleware | undefined;
}

/** Wraps a tool in middlewares, the first one outermost; `undefined` if there are none. */
export function composeInvokable(
  middlewares: readonly ToolCallMiddleware[],
  tool: NextInvokable,
): ReturnType<InvokableMiddleware> | undefined {
  let wrapped: ReturnType<InvokableMiddleware> | undefined;
  for (const { invokable } of middlewares.toReversed()) {
    if (invokable === undefined) continue;
    const inner = wrapped;
    wrapped = invokable(inner === undefined ? tool : async (call, ctx) => inner(call, ctx));
  }
  return wrapped;
}

export function composeStreamable(
  middlewares: readonly ToolCallMiddleware[],
  tool: NextStreamable,
): ReturnType<StreamableMiddleware> | undefined {
  let wrapped: ReturnType<StreamableMiddleware> | undefined;
  for (const { streamable } of middlewares.toReversed()) {
    if (streamable === undefined) continue;
    const inner = wrapped;
    wrapped = streamable(inner === undefined ? tool : (call, ctx) => streamOf(() => inner(call, ctx)));
  }
  return wrapped;
}

/** The stream that a middleware returns; the middleware runs at the first read. */
export function streamOf(
  open: () => StreamSource<ToolOutput> | Promise<StreamSource<ToolOutput>>,
): StreamReader<ToolOutput> {
  return StreamReader.from(
    (async function* () {
      yield* StreamReader.from(await open());
    })(),
  );
}
