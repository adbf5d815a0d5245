import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { Tool, ToolContext } from "../../components/tool.js";
import { isPromiseLike } from "../../is.js";
import { Context } from "../../run/context.js";
import type { AnyTool } from "../../tools/define/any-tool.js";
import { CreatedStages, type ToolDefinition } from "../../tools/define/created-stages.js";
import { runAlone, streamAlone } from "../../tools/define/lone-call.js";
import { isToolStream, producerOf } from "../../tools/define/producer.js";
import { hasToolStages, toolStages } from "../../tools/define/tool-stages.js";
import { adaptTool } from "../../tools/formats/adapt-tool.js";
import { notATapedTool } from "../errors.js";
import { parsed } from "./canonical-message.js";
import { keptError, replayedError } from "./kept-error.js";
import { keptChunks, keptValue, replayedChunks, replayedValue } from "./kept-value.js";
import { toJson } from "./plain-json.js";
import type { Taken, TapeDeck, TapedRequest } from "./tape-deck.js";

/** Tools whose work is done by a tape. All that comes before and after the work is as ever. */
export function tapedTools(tools: readonly AnyTool[], deck: TapeDeck): Tool[] {
  if (!Array.isArray(tools)) throw notATapedTool("The argument of tape.tools", tools);
  return tools.map((given: AnyTool, index) => {
    const tool = adaptTool(given, undefined, `tools[${index}] of tape.tools`);
    if (tool === undefined) throw notATapedTool(`tools[${index}] of tape.tools`, given);
    return tapedTool(tool as Tool, deck);
  });
}

function tapedTool(tool: Tool, deck: TapeDeck): Tool {
  if (!hasToolStages(tool)) return new TapedWork(tool.info.name, deck).byHand(tool);
  const stages = tool[toolStages];
  // the models and tools of what runs inside are on the tape themselves, and a client is asked as ever
  if (!(stages instanceof CreatedStages) || stages.isAgent || stages.isClientTool || runsRunnable(stages)) return tool;
  const { execute } = stages.definition;
  if (execute === undefined) return tool;
  const work = new TapedWork(tool.info.name, deck);
  const taped = new CreatedStages({
    ...stages.definition,
    stream: undefined,
    execute: stages.invoke === undefined ? work.generator(execute as Work) : work.function(execute as Work),
  });
  const copy: Tool & { readonly [toolStages]: CreatedStages } = Object.freeze({
    ...tool,
    [toolStages]: taped,
    invoke: (args: string, ctx: ToolContext) => runAlone(copy, args, ctx),
    stream: (args: string, ctx: ToolContext) => streamAlone(copy, args, ctx),
  });
  return copy;
}

/** Whether it was made by `asTool`: it has a second way for streams, and joins them as its Runnable says. */
function runsRunnable({ definition: { stream, concat } }: CreatedStages): boolean {
  return stream !== undefined && concat === undefined;
}

type Work = (input: unknown, ctx: ToolContext) => unknown;

/** The work of one tool, with a tape in between. */
class TapedWork {
  readonly #name: string;
  readonly #deck: TapeDeck;

  constructor(name: string, deck: TapeDeck) {
    this.#name = name;
    this.#deck = deck;
  }

  /** A tool that somebody wrote without `createTool`: it gets the arguments as text. */
  byHand(tool: Tool): Tool {
    const { invoke, stream } = tool;
    const { component, type, info, options, requireApproval } = tool;
    return {
      component,
      type,
      info,
      options,
      requireApproval: typeof requireApproval === "function" ? requireApproval.bind(tool) : requireApproval,
      ...(invoke && {
        invoke: this.function((text, ctx) => invoke.call(tool, text as string, ctx)) as NonNullable<Tool["invoke"]>,
      }),
      ...(stream && {
        stream: this.generator((text, ctx) => stream.call(tool, text as string, ctx)) as NonNullable<Tool["stream"]>,
      }),
    };
  }

  /** For work that returns a value, or a stream. */
  function(work: Work): ToolDefinition["execute"] & Work {
    return async (input, ctx) => {
      const taken = this.#take(input, ctx);
      if (taken.answer !== undefined && !isLive(taken)) {
        return "chunks" in taken.answer ? this.#replayedStream(taken, ctx) : this.#replayed(taken, ctx);
      }
      try {
        const value = await work(input, ctx);
        if (isToolStream(value)) return this.#recorded(value, taken, ctx);
        this.#keep(taken, ctx, () => keptValue(value, this.#what));
        return value;
      } catch (error) {
        this.#keepError(taken, error, [], ctx);
        throw error;
      }
    };
  }

  /** For work that is a generator function, or returns a stream at once. */
  generator(work: Work): ToolDefinition["execute"] & Work {
    const work_ = this;
    return async function* (input: unknown, ctx: ToolContext): AsyncGenerator<unknown, unknown> {
      const taken = work_.#take(input, ctx);
      if (taken.answer !== undefined && !isLive(taken)) return yield* work_.#replayedStream(taken, ctx);
      let stream: unknown;
      try {
        const given = work(input, ctx);
        stream = isPromiseLike(given) ? await given : given;
      } catch (error) {
        work_.#keepError(taken, error, [], ctx);
        throw error;
      }
      return yield* work_.#recorded(stream as object, taken, ctx);
    };
  }

  get #what(): string {
    return `the tool "${this.#name}"`;
  }

  #take(given: unknown, ctx: ToolContext): Taken {
    const { redact } = this.#deck.text;
    const input = toJson(typeof given === "string" ? parsed(given) : given, redact) ?? null;
    const taped: TapedRequest = {
      kind: "tool",
      request: { kind: "tool", name: redact(this.#name), input },
      what: `a call of the tool "${this.#name}" with ${JSON.stringify(input).slice(0, 200)}`,
    };
    // what was asked before is answered by now
    const isResumed = ctx instanceof Context && ctx.openedInvocation?.isRestored === true;
    return this.#deck.take(taped, ctx, isResumed ? ({ live }) => live === "question" : undefined);
  }

  #replayed({ answer = {}, path }: Taken, ctx: ToolContext): unknown {
    ctx.signal?.throwIfAborted();
    if (answer.error !== undefined) throw replayedError(answer.error, { toolName: this.#name, callId: ctx.toolCallId });
    return replayedValue(answer, path);
  }

  async *#replayedStream(taken: Taken, ctx: ToolContext): AsyncGenerator<unknown, unknown> {
    const { answer = {}, path } = taken;
    if (!("chunks" in answer)) return this.#replayed(taken, ctx);
    for (const chunk of replayedChunks(answer.chunks ?? null, path)) {
      ctx.signal?.throwIfAborted();
      yield chunk;
    }
    const { chunks: _chunks, ...end } = answer;
    return Object.keys(end).length === 0 ? undefined : this.#replayed({ ...taken, answer: end }, ctx);
  }

  async *#recorded(stream: object, taken: Taken, ctx: ToolContext): AsyncGenerator<unknown, unknown> {
    const producer = producerOf(stream);
    const chunks: unknown[] = [];
    let isSettled = false;
    try {
      for (;;) {
        const { done, value } = await producer.next();
        if (done === true) {
          isSettled = true;
          this.#keep(taken, ctx, () => ({
            chunks: this.#kept(chunks),
            ...(value !== undefined && keptValue(value, this.#what)),
          }));
          return value;
        }
        chunks.push(value);
        yield value;
      }
    } catch (error) {
      if (!isSettled) this.#keepError(taken, error, chunks, ctx);
      isSettled = true;
      throw error;
    } finally {
      if (!isSettled) {
        taken.drop();
        producer.cancel(undefined);
      }
    }
  }

  #kept(chunks: readonly unknown[]): ReturnType<typeof keptChunks> {
    return keptChunks(chunks, this.#what, this.#deck.text.redact);
  }

  /** Of work that ran children, only that is kept: they are on the tape themselves. */
  #keep(taken: Taken, ctx: ToolContext, make: () => Parameters<Taken["keep"]>[0]): void {
    if (taken.answer !== undefined) return;
    const hasAsked = ctx instanceof Context && ctx.openedInvocation?.hasStopped === true;
    if (hasAsked) taken.keep({ live: "question" });
    else taken.keep(hasChildren(ctx) ? { live: "children" } : make());
  }

  #keepError(taken: Taken, error: unknown, chunks: readonly unknown[], ctx: ToolContext): void {
    if (taken.answer !== undefined) return;
    const kept = keptError(error, ctx.signal);
    if (causedByInterrupt(error)) taken.keep({ live: "question" });
    else if (kept === undefined) taken.drop();
    else if (hasChildren(ctx)) taken.keep({ live: "children" });
    else taken.keep({ error: kept, ...(chunks.length > 0 && { chunks: this.#kept(chunks) }) });
  }
}

/** Whether the tape only says that the tool has to run. */
function isLive({ answer }: Taken): boolean {
  return answer?.live !== undefined;
}

function hasChildren(ctx: ToolContext): boolean {
  return ctx instanceof Context && ctx.openedChildren !== undefined;
}
