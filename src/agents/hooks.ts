import { checkOptions } from "../check-options.js";
import { causedByInterrupt } from "../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../components/context.js";
import type { ToolContext, ToolOutput } from "../components/tool.js";
import { endsRun } from "../errors.js";
import { isFields, isObject, isStream } from "../is.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { withCallIds } from "../tools/node/call-ids.js";
import type { ToolCall } from "../tools/node/middleware.js";
import type { AgentRun } from "./agent-context.js";
import type { AnyMiddleware, ModelChanges, NextToolCall, StepChanges } from "./create-middleware.js";
import { hookFailed, invalidAgentOption, stateNotJson } from "./errors.js";
import { answerOf, type Called } from "./model-answer.js";
import { type ModelChain, modelChain } from "./model-chain.js";
import { GatheredAnswer, ModelReply, type ModelRequest } from "./model-request.js";
import { resultOf } from "./run-result.js";
import { AskedModel, tellAnswer } from "./streamed-answer.js";
import { type OngoingTurn, type PreparedStep, turnAround } from "./turn.js";

type Hook = "beforeAgent" | "beforeStep" | "wrapModelCall" | "afterModel" | "wrapToolCall" | "afterStep" | "afterAgent";

/** Each of these returns `undefined` if no middleware of the agent that answers now has the hook. */
export function beforeAgent(turn: OngoingTurn, ctx: NodeContext): Promise<void> | undefined {
  const { steps, active } = turn.state;
  // after a handoff, those that both agents have are done
  const before = new Set(steps.flatMap(({ agent }) => (agent === active ? [] : turn.partsOf(agent).middleware)));
  const middlewares = middlewaresWith(turn, "beforeAgent").filter((middleware) => !before.has(middleware));
  return runEach(turn, middlewares, "beforeAgent", ctx, (middleware, run) => middleware.beforeAgent?.(run));
}

/** The step after all that the hooks change. */
export function beforeStep(
  turn: OngoingTurn,
  step: PreparedStep,
  ctx: NodeContext,
  change: (turn: OngoingTurn, step: PreparedStep, changes: StepChanges, middleware: string) => PreparedStep,
): Promise<PreparedStep> | undefined {
  const middlewares = middlewaresWith(turn, "beforeStep");
  if (middlewares.length === 0) return undefined;
  const changed = async (): Promise<PreparedStep> => {
    let last = step;
    for (const middleware of middlewares) {
      turn.changing = last;
      const changes = await runHook(turn, middleware, "beforeStep", ctx, (run) => middleware.beforeStep?.(run));
      if (changes !== undefined) last = change(turn, last, changes as StepChanges, middleware.name);
    }
    turn.changing = last;
    return last;
  };
  return changed();
}

type Given = ModelReply | StreamSource<AgenticMessage> | AgenticMessage;
type Call = (request: ModelRequest) => Given | Promise<Given>;

/** The answer that comes through all middlewares. */
export function wrapModelCall(
  turn: OngoingTurn,
  chain: ModelChain,
  request: ModelRequest,
  called: Called,
): Promise<AgenticMessage> | undefined {
  const middlewares = middlewaresBackWith(turn, "wrapModelCall");
  if (middlewares.length === 0) return undefined;
  const { ctx } = called;
  // what ends the run is thrown in the end, whatever a middleware made of it
  let ending: { readonly error: unknown } | undefined;
  const note = (error: unknown): void => {
    if (endsRun(error)) ending ??= { error };
  };
  let call: Call = (last) => {
    const chunks = (): StreamReader<AgenticMessage> =>
      new StreamReader(new AskedModel(turn, chainOf(turn, chain, last), last, ctx, note));
    const whole = async (): Promise<AgenticMessage> => {
      if (turn.streams) return wholeOf(chunks());
      try {
        return await answerOf(turn, chainOf(turn, chain, last), last, ctx);
      } catch (error) {
        note(error);
        throw error;
      }
    };
    return new ModelReply(chunks, whole);
  };
  for (const middleware of middlewares) call = around(turn, middleware, call, ctx);
  const outermost = call;
  const answer = async (): Promise<AgenticMessage> => {
    const given = await outermost(request);
    const message = await (turn.streams
      ? tellAnswer(turn, StreamReader.from(isAgenticMessage(given) ? [given] : given).takeSource(), called)
      : wholeOf(given));
    if (ending !== undefined) throw ending.error;
    return message;
  };
  return answer();
}

/** A middleware may have chosen another model. */
function chainOf(turn: OngoingTurn, chain: ModelChain, { model }: ModelRequest): ModelChain {
  return model === chain.model ? chain : modelChain(model, turn.parts, "wrapModelCall");
}

function around(turn: OngoingTurn, middleware: AnyMiddleware, inner: Call, ctx: NodeContext): Call {
  return (request) =>
    runHook(turn, middleware, "wrapModelCall", ctx, async (run) => {
      const next = (changed: ModelRequest = request): ModelReply => {
        if (!isFields(changed)) throw invalidAgentOption("next takes the request, changed or not, or nothing");
        return replyOf(turn, inner(changed));
      };
      const given: unknown = await middleware.wrapModelCall?.(request, next, run);
      if (isAnswer(given) || given instanceof ModelReply || isStream(given)) return given as Given;
      throw invalidAgentOption("it must return what next() returned, a stream, or a message of the assistant");
    });
}

function isAnswer(given: unknown): given is AgenticMessage {
  return isAgenticMessage(given) && given.role === "assistant";
}

/** Of what is inside: the next hook runs at once, and the model is asked when the reply is read. */
function replyOf(turn: OngoingTurn, inner: Given | Promise<Given>): ModelReply {
  if (inner instanceof Promise) inner.catch(ignore);
  async function* chunks(): AsyncGenerator<AgenticMessage, void> {
    const given = await inner;
    if (isAgenticMessage(given)) yield given;
    else yield* StreamReader.from(given);
  }
  return new ModelReply(chunks, async () => (turn.streams ? wholeOf(chunks()) : wholeOf(await inner)));
}

/** A hook need not read what `next()` gives. */
function ignore(): void {}

function wholeOf(given: Given): AgenticMessage | Promise<AgenticMessage> {
  if (isAgenticMessage(given)) return given;
  return given instanceof ModelReply ? given.message() : readWhole(given);
}

async function readWhole(given: StreamSource<AgenticMessage>): Promise<AgenticMessage> {
  const answer = new GatheredAnswer();
  for await (const chunk of StreamReader.from(given)) answer.add(chunk);
  return answer.message();
}

export function afterModel(
  turn: OngoingTurn,
  given: AgenticMessage,
  ctx: NodeContext,
): Promise<ModelChanges> | undefined {
  const middlewares = middlewaresBackWith(turn, "afterModel");
  if (middlewares.length === 0) return undefined;
  const changed = async (): Promise<ModelChanges> => {
    let message = given;
    let jumpTo: ModelChanges["jumpTo"];
    for (const middleware of middlewares) {
      const changes = await runHook(turn, middleware, "afterModel", ctx, async (run) => {
        const given = await middleware.afterModel?.(message, run);
        return given === undefined ? {} : checkedChanges(given);
      });
      const { message: other, jumpTo: jump } = changes;
      if (other !== undefined) message = withCallIds(other);
      jumpTo = jump ?? jumpTo;
    }
    return { message, jumpTo };
  };
  return changed();
}

function checkedChanges(given: object): ModelChanges {
  checkOptions("afterModel", given, ["message", "jumpTo"]);
  const { message, jumpTo }: ModelChanges = given;
  if (message !== undefined && !isAnswer(message)) throw invalidAgentOption("message must be one of the assistant");
  if (jumpTo === undefined || jumpTo === "model" || jumpTo === "end") return given;
  throw invalidAgentOption('jumpTo must be "model" or "end"');
}

/** Around one call of a tool. */
export async function wrapToolCall(
  middleware: AnyMiddleware,
  call: ToolCall,
  ctx: ToolContext,
  next: NextToolCall,
): Promise<ToolOutput> {
  const turn = turnAround(ctx);
  if (turn === undefined || middleware.wrapToolCall === undefined) return next();
  const passed: { error?: unknown } = {};
  const inner: NextToolCall = async (changed) => {
    try {
      return await next(changed);
    } catch (error) {
      passed.error = error;
      throw error;
    }
  };
  const run = Object.assign(Object.create(runOf(turn, middleware, ctx)), { tool: ctx });
  try {
    const output: ToolOutput | undefined = await middleware.wrapToolCall(call, inner, run);
    if (endsRun(passed.error)) throw passed.error;
    if (output !== undefined) return output;
    throw invalidAgentOption("it must return what next() resolved to, or another output");
  } catch (error) {
    throw ("error" in passed && error === passed.error) || isOurs(error, ctx)
      ? error
      : hookFailed(middleware.name, "wrapToolCall", error);
  } finally {
    if (middleware.state !== undefined) checkState(turn, middleware, "wrapToolCall");
  }
}

export function afterStep(turn: OngoingTurn, ctx: NodeContext): Promise<void> | undefined {
  const step = turn.state.steps.at(-1);
  if (step === undefined) return undefined;
  return runEach(turn, middlewaresBackWith(turn, "afterStep"), "afterStep", ctx, (middleware, run) =>
    middleware.afterStep?.(step, run),
  );
}

export function afterAgent(turn: OngoingTurn, ctx: NodeContext): Promise<void> | undefined {
  const middlewares = middlewaresBackWith(turn, "afterAgent");
  if (middlewares.length === 0) return undefined;
  const told = async (): Promise<void> => {
    const result = await resultOf(turn, undefined);
    await runEach(turn, middlewares, "afterAgent", ctx, (middleware, run) => middleware.afterAgent?.(result, run));
  };
  return told();
}

function runEach(
  turn: OngoingTurn,
  middlewares: readonly AnyMiddleware[],
  hook: Hook,
  ctx: NodeContext,
  work: (middleware: AnyMiddleware, run: AgentRun<never>) => void | Promise<void>,
): Promise<void> | undefined {
  if (middlewares.length === 0) return undefined;
  const all = async (): Promise<void> => {
    for (const middleware of middlewares) await runHook(turn, middleware, hook, ctx, (run) => work(middleware, run));
  };
  return all();
}

/** The middlewares of the agent that answers now which have a hook, in their order. */
function middlewaresWith(turn: OngoingTurn, hook: Hook): readonly AnyMiddleware[] {
  const { middleware } = turn.parts;
  // most have only some hooks, and a step asks for each of them
  for (const one of middleware)
    if (one[hook] !== undefined) return middleware.filter((each) => each[hook] !== undefined);
  return none;
}

const none: readonly AnyMiddleware[] = [];

/** The same for hooks that run in the reversed order. */
function middlewaresBackWith(turn: OngoingTurn, hook: Hook): readonly AnyMiddleware[] {
  const found = middlewaresWith(turn, hook);
  return found.length < 2 ? found : found.toReversed();
}

/** Runs one hook of one middleware: with its state, and under its name if it fails. */
async function runHook<T>(
  turn: OngoingTurn,
  middleware: AnyMiddleware,
  hook: Hook,
  ctx: NodeContext,
  work: (run: AgentRun<never>) => T | Promise<T>,
): Promise<T> {
  const run = runOf(turn, middleware, ctx);
  try {
    return await work(run);
  } catch (error) {
    throw isOurs(error, ctx) ? error : hookFailed(middleware.name, hook, error);
  } finally {
    if (middleware.state !== undefined) checkState(turn, middleware, hook);
  }
}

/** The run as a middleware sees it. */
function runOf(turn: OngoingTurn, { name, state, scope }: AnyMiddleware, ctx: NodeContext): AgentRun<never> {
  const { middleware } = turn.state;
  if (state !== undefined && !Object.hasOwn(middleware, name)) {
    middleware[name] = turn.asked.kept?.[name] ?? newState(name, state);
    if (scope === "user") turn.user?.begin(name, middleware[name]);
  }
  return Object.defineProperty(turn.run(ctx), "state", {
    enumerable: true,
    get: () => middleware[name],
    set: (value: unknown) => {
      middleware[name] = value;
    },
  });
}

function newState(name: string, state: () => unknown): unknown {
  try {
    return state();
  } catch (error) {
    throw hookFailed(name, "state", error);
  }
}

/** A stop is not a failure of the hook that it went through. */
function isOurs(error: unknown, ctx: NodeContext): boolean {
  return causedByInterrupt(error) || endsRun(error) || (ctx.signal.aborted && error === ctx.signal.reason);
}

function checkState(turn: OngoingTurn, { name }: AnyMiddleware, hook: Hook): void {
  const state = turn.state.middleware[name];
  try {
    structuredClone(state);
  } catch (cause) {
    throw stateNotJson({ middleware: name, hook, path: pathOfUnsaved(state) }, cause);
  }
}

/** The path of the first value in another one that cannot be copied, such as `a.list[2].fn`; empty for the value itself. */
export function pathOfUnsaved(value: unknown): string {
  const path: string[] = [];
  const seen = new Set<object>();
  for (let current = value; isObject(current) && !seen.has(current); ) {
    seen.add(current);
    const next = entriesOf(current).find(([, inner]) => !canBeCopied(inner));
    if (next === undefined) break;
    path.push(next[0]);
    current = next[1];
  }
  return path.join("").replace(/^\./, "");
}

function entriesOf(value: object): (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((inner, index) => [`[${index}]`, inner] as const);
  if (value instanceof Map) return [...value].map(([key, inner]) => [`.get(${JSON.stringify(key)})`, inner] as const);
  if (value instanceof Set) return [...value].map((inner, index) => [`[${index}]`, inner] as const);
  return Object.entries(value).map(([key, inner]) => [`.${key}`, inner] as const);
}

function canBeCopied(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}
