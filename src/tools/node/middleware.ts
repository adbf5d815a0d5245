import type { ToolContext, ToolOutput } from "../../components/tool.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";

/** One call of one tool, as a middleware sees it. Give a changed copy to `next` to change it. */
export interface ToolCall {
  /** As the model called it. */
  readonly name: string;
  /** Changed arguments are parsed and validated again. */
  readonly arguments: string;
  /** The id under which the call is answered. */
  readonly callId: string;
  /** The parsed and validated arguments. A changed input reaches the tool as it is. */
  readonly input: unknown;
}

/**
 * Calls the tool, or the next middleware: resolves with what the model will read, and rejects with what the tool threw. For
 * a tool that returned a stream it resolves with that stream, to be passed on.
 */
export type NextInvokable = (call: ToolCall, ctx: ToolContext) => Promise<ToolOutput>;

/** Calls the tool, or the next middleware: at the first read, not before. */
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
 * can do both is wrapped by both. Callbacks see what happens inside. `next` may be called several times (a retry), or not
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
  readonly invokable?: InvokableMiddleware | undefined;
  readonly streamable?: StreamableMiddleware | undefined;
}

/** What stands around a tool, the first middleware outermost; `undefined` when there is none. */
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

/** What a middleware gives back as a stream, when it does so at the first read. */
export function streamOf(
  open: () => StreamSource<ToolOutput> | Promise<StreamSource<ToolOutput>>,
): StreamReader<ToolOutput> {
  return StreamReader.from(
    (async function* () {
      yield* StreamReader.from(await open());
    })(),
  );
}
