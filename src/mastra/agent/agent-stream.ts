import type { AgentEvent } from "../../agents/agent-event.js";
import type { AgentResult } from "../../agents/agent-result.js";
import { addUsage, noUsage } from "../../agents/agent-state.js";
import type { AgentStream, DeepPartial } from "../../agents/agent-stream.js";
import { streamRestarted } from "../../agents/errors.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { Untyped } from "../untyped.js";
import { type MastraAgentResult, type MastraAgentStep, type MastraTripwire, mastraResult } from "./agent-result.js";
import { type CallHooks, StepHooks } from "./call-hooks.js";
import { chunkOf, type MastraChunk, type MastraFinishReason } from "./chunk.js";
import { ChunkWriter } from "./chunk-writer.js";
import type { EventTape } from "./event-tape.js";
import { isInner, lastTextIn, readSteps } from "./read-steps.js";

/** A run that has begun. @internal */
export interface StartedRun {
  readonly runId: string;
  readonly agentId: string;
  /** The schema of the answer, if it has one. */
  readonly output: AnyStandardSchema | JsonSchema | undefined;
  readonly stream: AgentStream<unknown>;
  readonly tape: EventTape;
  readonly hooks: CallHooks;
  /** Tells of a failure that no `onError` hears. */
  log(message: string, error: unknown): void;
  /** Called with the result. */
  ended(result: AgentResult<unknown>): Promise<void>;
}

/** The method by which a server changes events before they are chunks. */
export const chunksOf: unique symbol = Symbol.for("kumiko/mastra/chunks-of") as never;

type Full<Output> = MastraAgentResult<Output>;

/** What is left of a run that failed or was aborted. */
type Broken = Omit<Full<unknown>, "error"> & { readonly error: Error | undefined };

/**
 * A run of an agent, with the names of Mastra: streams of its chunks, its text and its growing object, each from the beginning, and
 * promises of the parts of its result. The run has begun. If all its streams are cancelled, it is aborted.
 *
 * A run that fails ends its streams, with a chunk `error` in `fullStream`; the promises resolve with what there is, and `error` is
 * set. Only `object` rejects, and `getFullOutput`.
 *
 * @example
 * import { Agent } from "kumiko/mastra";
 *
 * const agent = new Agent({ name: "guide", instructions: "Be brief.", model });
 * const stream = await agent.stream("Weather in Kyoto?");
 * for await (const chunk of stream.fullStream) if (chunk.type === "text-delta") console.log(chunk.payload.text);
 * console.log(await stream.finishReason, (await stream.usage).inputTokens);
 */
export class MastraAgentStream<Output = string> {
  /** The id of the run: for `approveToolCall`, `declineToolCall` and `resume`. */
  readonly runId: string;
  readonly #run: StartedRun;
  #full: Promise<Full<unknown> | Broken> | undefined;
  #ending: Promise<Full<unknown> | Broken> | undefined;
  #settled: Full<unknown> | Broken | undefined;

  constructor(run: StartedRun) {
    this.runId = run.runId;
    this.#run = run;
    if (run.hooks.isUsed) void this.#settle();
  }

  /** The chunks of the run. */
  get fullStream(): ReadableStream<MastraChunk> {
    return this[chunksOf]((event) => event);
  }

  /** The chunks of what a function makes of the events. @internal */
  [chunksOf](change: (event: AgentEvent) => AgentEvent): ReadableStream<MastraChunk> {
    const { tape, stream, runId, agentId, output } = this.#run;
    const hasOutput = output !== undefined;
    const outcome = () => this.#outcome();
    return tape.open(async function* (events) {
      const writer = new ChunkWriter({ runId, agentId, hasOutput });
      for await (const event of events) {
        if (hasOutput && event.type === "finish" && event.finishReason !== "waiting") {
          const object = await stream.result.then(objectOf, () => undefined);
          if (object !== undefined) yield { ...chunkOf(runId, "object-result", {}), object };
        }
        yield* writer.write(change(event));
      }
      await outcome();
    });
  }

  /** The text of all steps, as it is written. */
  get textStream(): ReadableStream<string> {
    const outcome = () => this.#outcome();
    return this.#run.tape.open(async function* (events) {
      let step = -1;
      for await (const event of events) {
        if (isInner(event)) continue;
        if (event.type === "restart" && event.step === step) throw streamRestarted();
        if (event.type !== "text_delta" || event.delta === "") continue;
        step = event.step;
        yield event.delta;
      }
      await outcome();
    });
  }

  /** The growing value of the output schema, the last one validated; empty without a schema. */
  get objectStream(): ReadableStream<DeepPartial<Output>> {
    const { stream, output, tape } = this.#run;
    return tape.open(async function* (events) {
      if (output === undefined) return;
      try {
        const { partialOutput } = await import("../../agents/partial-output.js");
        const values = partialOutput(output, { events, result: () => stream.result, tools: () => [] });
        for await (const value of values) yield value as DeepPartial<Output>;
      } catch {
        // the failure is in `error`, as with the other streams
      }
    });
  }

  /** The events of this package, for `uiMessageStream` and the like. */
  get events(): StreamReader<AgentEvent> {
    return StreamReader.from<AgentEvent>(this.#run.tape.open((events) => events));
  }

  /** The text of the last answer; with an output schema, its JSON. */
  get text(): Promise<string> {
    return this.#settle().then(({ text, steps, object, finishReason }) => {
      const isWhole = object !== undefined || this.error !== undefined || finishReason === "aborted";
      return isWhole ? text : (steps.at(-1)?.text ?? text);
    });
  }

  /** The value of the output schema; `undefined` without one. Rejects if the run fails, also with an answer that does not fit. */
  get object(): Promise<Full<Output>["object"]> {
    const object = this.#settle().then((settled) => {
      if (settled.error !== undefined) throw settled.error;
      return settled.object;
    });
    // nobody has to read it: `error` tells of the failure too
    object.catch(() => undefined);
    return object as Promise<Full<Output>["object"]>;
  }

  /** The calls of all steps. */
  get toolCalls(): Promise<Full<Output>["toolCalls"]> {
    return this.#part("toolCalls");
  }

  /** The results of the calls that succeeded. */
  get toolResults(): Promise<Full<Output>["toolResults"]> {
    return this.#part("toolResults");
  }

  /** The steps. */
  get steps(): Promise<readonly MastraAgentStep[]> {
    return this.#part("steps");
  }

  /** The tokens of all steps. */
  get usage(): Promise<Full<Output>["usage"]> {
    return this.#part("usage");
  }

  /** The same as `usage`. */
  get totalUsage(): Promise<Full<Output>["usage"]> {
    return this.#part("usage");
  }

  /** Why the run ended; `"suspended"` if it waits for answers, `"error"` if it failed. */
  get finishReason(): Promise<MastraFinishReason> {
    return this.#part("finishReason");
  }

  /** The reasoning of all steps, if there was any. */
  get reasoningText(): Promise<string | undefined> {
    return this.#part("reasoningText");
  }

  /** The last response, with the new messages. */
  get response(): Promise<Full<Output>["response"]> {
    return this.#part("response");
  }

  /** What a suspended run waits for first. */
  get suspendPayload(): Promise<Untyped> {
    return this.#part("suspendPayload");
  }

  /** The JSON Schema of the answer to it, as text. */
  get resumeSchema(): Promise<string | undefined> {
    return this.#part("resumeSchema");
  }

  /** Why the run failed, once it has; not set when it was aborted. */
  get error(): Error | undefined {
    return this.#settled?.error ?? failureOf(this.#run);
  }

  /** Set once a guard has stopped the run. */
  get tripwire(): MastraTripwire | undefined {
    return this.#settled?.tripwire;
  }

  /** How far the run is. */
  get status(): "running" | "success" | "suspended" | "failed" | "canceled" {
    switch (this.#settled?.finishReason) {
      case undefined:
        return "running";
      case "suspended":
        return "suspended";
      case "aborted":
        return "canceled";
      case "error":
        return "failed";
      default:
        return "success";
    }
  }

  /** Resolves with the result, the same as that of `generate`; rejects if the run fails or is aborted. */
  async getFullOutput(): Promise<MastraAgentResult<Output>> {
    const settled = await this.#settle();
    const { failure } = this.#run.tape;
    if (failure !== undefined) throw failure.error;
    return settled as MastraAgentResult<Output>;
  }

  /** Reads the run to its end. Resolves also if it fails. */
  async consumeStream(options: { readonly onError?: ((error: unknown) => void) | undefined } = {}): Promise<void> {
    await this.#settle();
    const { failure } = this.#run.tape;
    if (failure !== undefined) options.onError?.(failure.error);
  }

  #part<Name extends keyof Broken>(name: Name): Promise<Broken[Name]> {
    return this.#settle().then((settled) => settled[name]) as Promise<Broken[Name]>;
  }

  /** What became of the run, which no longer waits for readers. */
  #settle(): Promise<Full<unknown> | Broken> {
    this.#full ??= this.#finish();
    return this.#full;
  }

  async #finish(): Promise<Full<unknown> | Broken> {
    const { tape, hooks, runId, output } = this.#run;
    tape.keep();
    const outcome = this.#outcome();
    const steps = new StepHooks({ runId, hasOutput: output !== undefined, log: this.#run.log }, hooks);
    for await (const event of tape) await steps.add(event);
    const settled = await outcome;
    await steps.end(settled);
    return settled;
  }

  /** What has become of the run, for whoever has read it to its end. */
  #outcome(): Promise<Full<unknown> | Broken> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<Full<unknown> | Broken> {
    const { tape, stream, runId, output } = this.#run;
    const result = stream.result.then(
      (value) => ({ value }),
      () => undefined,
    );
    for await (const _event of tape);
    const ended = await result;
    const settings = { runId, hasOutput: output !== undefined };
    const settled = ended === undefined ? brokenRun(this.#run) : mastraResult(ended.value, settings);
    if (ended !== undefined) await this.#run.ended(ended.value);
    this.#settled = settled;
    return settled;
  }
}

function objectOf(result: AgentResult<unknown>): unknown {
  try {
    return result.output;
  } catch {
    return undefined;
  }
}

/** Why a run has failed, unless it was aborted. */
function failureOf({ tape }: StartedRun): Error | undefined {
  const { failure } = tape;
  if (failure === undefined || isAborted(tape)) return undefined;
  return failure.error instanceof Error ? failure.error : new Error(String(failure.error));
}

function isAborted(tape: EventTape): boolean {
  const last = tape.events.at(-1);
  return last?.type !== "error" || last.error.code === "ABORTED";
}

/** The parts of a run that has failed, as far as it came. */
function brokenRun(run: StartedRun): Broken {
  const steps = readSteps(run.tape.events);
  const usage = steps.reduce((sum, step) => addUsage(sum, step.usage), noUsage);
  const [agent = ""] = run.tape.events[0]?.agentPath ?? [];
  const parts = { output: undefined, messages: run.stream.messages(), steps, usage, usageByModel: {} };
  const result = { ...parts, agent, finishReason: "other", interrupts: [] } as const;
  const finishReason = isAborted(run.tape) ? "aborted" : "error";
  const text = lastTextIn(run.tape.events);
  return {
    ...mastraResult({ ...result, text }, { runId: run.runId, hasOutput: false }),
    text,
    finishReason,
    error: failureOf(run),
  };
}
