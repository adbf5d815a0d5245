import fc from "fast-check";
import { type CompileOptions, pipe, type Runnable } from "kumiko";
import { type RecordingHandler, recordingHandler } from "kumiko/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberOfRuns } from "../number-of-runs.js";
import { acyclicGraphs, cyclicGraphs, type GraphSpec, type NodeKind } from "./graph-spec.js";
import { runDependencies, runSteps, type Task } from "./oracle.js";
import { graphOf } from "./spec-graph.js";

type Values = Readonly<Record<string, string>>;

const input: Values = { start: "k0" };

/** What goes wrong in a run, or what its caller does to it; tasks are counted over the whole run. */
interface Trouble {
  /** The task that throws, waits for ever, or waits until its signal is aborted. */
  readonly task: number;
  readonly kind: "none" | "throws" | "rejects" | "deaf" | "waits";
  /** After so many turns of the event loop the run is aborted. */
  readonly abortAfter: number | undefined;
  /** A stream is left after so many chunks. */
  readonly leaveAfter: number | undefined;
  readonly mode: "invoke" | "stream" | "collect" | "transform";
}

const troubles: fc.Arbitrary<Trouble> = fc.record({
  task: fc.integer({ min: 0, max: 8 }),
  kind: fc.constantFrom("none", "throws", "rejects", "deaf", "waits"),
  abortAfter: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
  leaveAfter: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
  mode: fc.constantFrom("invoke", "stream", "collect", "transform"),
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  throw signal.reason;
}

/** A run with trouble, until it has ended and all has settled. */
class TroubledRun {
  readonly values = recordingHandler();
  readonly streams = recordingHandler({ streams: true });
  readonly tasks: Task[] = [];
  readonly startedAfterEnd: number[] = [];
  openStreams = 0;
  hasEnded = false;
  readonly #trouble: Trouble;
  readonly #graph: Runnable<Values, Values>;
  readonly #controller = new AbortController();

  constructor(spec: GraphSpec, options: CompileOptions, trouble: Trouble) {
    this.#trouble = trouble;
    this.#graph = graphOf(spec, options, {
      onTask: (task, { signal }) => this.#onTask(task, spec.kinds[task.node], signal),
      onStream: (_node, change) => {
        this.openStreams += change;
      },
    });
  }

  async run(): Promise<void> {
    const run = this.#start().then(
      () => undefined,
      () => undefined,
    );
    const { abortAfter, kind } = this.#trouble;
    const isStuck = kind === "deaf" || kind === "waits";
    for (let n = 0; n < (abortAfter ?? (isStuck ? 12 : 0)); n++) await turn();
    if (abortAfter !== undefined || isStuck) this.#controller.abort(new Error("stop"));
    await run;
    this.hasEnded = true;
    for (let n = 0; n < 6; n++) await turn();
    await this.streams.settled();
  }

  async #start(): Promise<unknown> {
    const { signal } = this.#controller;
    const options = { signal, callbacks: [this.values, this.streams] };
    const { mode, leaveAfter } = this.#trouble;
    if (mode === "invoke") return this.#graph.invoke(input, options);
    if (mode === "stream") return this.#read(this.#graph.stream(input, options), leaveAfter);
    const { reader, writer } = pipe<Values>();
    const written = this.#write(writer);
    const output = this.#graph.transform(reader, options);
    await (mode === "collect" ? output.concat() : this.#read(output, leaveAfter)).finally(() => written);
  }

  async #read(reader: AsyncIterable<Values>, leaveAfter = Number.POSITIVE_INFINITY): Promise<void> {
    let count = 0;
    for await (const _chunk of reader) {
      count += 1;
      if (count > leaveAfter) break;
    }
  }

  /** An input that goes on until nobody reads it: it then knows. */
  async #write(writer: ReturnType<typeof pipe<Values>>["writer"]): Promise<void> {
    await writer.write(input);
    await turn();
    writer.close();
  }

  /**
   * A function that reads a stream by itself has started before it has read it, and a generator that waits for ever cannot
   * be closed: these are left out of what is looked at.
   */
  #onTask(task: Task, nodeKind: NodeKind | undefined, signal: AbortSignal): unknown {
    const readsItself = nodeKind === "transforms" || nodeKind === "collects";
    if (this.hasEnded && !readsItself) this.startedAfterEnd.push(task.node);
    this.tasks.push(task);
    const { kind } = this.#trouble;
    if (this.tasks.length - 1 !== this.#trouble.task || (readsItself && kind === "deaf")) return undefined;
    switch (kind) {
      case "none":
        return undefined;
      case "throws":
        throw new Error("trouble");
      case "rejects":
        return turn().then(() => Promise.reject(new Error("trouble")));
      case "deaf":
        return new Promise(() => undefined);
      case "waits":
        return untilAborted(signal);
      default:
        return kind satisfies never;
    }
  }
}

/** A node that was cut off must not have run with a part of its input. */
const asText = (tasks: readonly Task[]): string[] =>
  tasks.map(({ node, input: given }) => JSON.stringify([node, Object.entries(given).sort()]));

/** Every run starts once and ends once. */
function expectOneEndEach({ events }: RecordingHandler): void {
  const balance = new Map<string, string[]>();
  for (const { timing, info } of events) {
    if (timing === "onEvent") continue;
    const timings = balance.get(info.runId) ?? [];
    timings.push(timing);
    balance.set(info.runId, timings);
  }
  for (const timings of balance.values()) {
    const [start, end, ...more] = timings;
    expect(start).toMatch(/^onStart/);
    // a copy of a stream ends by itself, and so does not exclude onError
    expect(end).toMatch(/^(onEnd|onEndWithStreamOutput|onError)$/);
    expect(more).toEqual(end === "onEndWithStreamOutput" && more.length > 0 ? ["onError"] : []);
  }
}

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

describe.each([
  ["anyPredecessor", fc.oneof(acyclicGraphs, cyclicGraphs), { triggerMode: "anyPredecessor", maxSteps: 9 }],
  ["allPredecessor", acyclicGraphs, { triggerMode: "allPredecessor" }],
] as const)("Whatever goes wrong in any %s graph", (_mode, graphs, options) => {
  it("every run that started ends once, every stream is closed, and nothing starts afterwards", async () => {
    const property = fc.asyncProperty(graphs, troubles, async (spec, trouble) => {
      const troubled = new TroubledRun(spec, options, trouble);
      await troubled.run();
      expect(troubled.values.unfinished()).toEqual([]);
      expectOneEndEach(troubled.values);
      expectOneEndEach(troubled.streams);
      expect(troubled.openStreams).toBe(0);
      expect(troubled.startedAfterEnd).toEqual([]);
      const whole = options.triggerMode === "allPredecessor" ? runDependencies(spec, input) : runSteps(spec, input, 9);
      expect(asText(whole.tasks)).toEqual(expect.arrayContaining(asText(troubled.tasks)));
      expect(unhandled).toEqual([]);
    });
    await fc.assert(property, { numRuns: numberOfRuns(200) });
  });
});
