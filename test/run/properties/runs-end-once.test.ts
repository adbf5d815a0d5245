import fc from "fast-check";
import { type Runnable, StreamReader } from "kumiko";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberOfRuns } from "../../number-of-runs.js";
import { settled } from "../../schema/stream/producer.js";
import { buildGraph, type Lab, microtasks, newLab } from "./build-graph.js";
import { type HandlerKind, HandlerLog, handlerKinds } from "./handler-log.js";
import { cut, type Value } from "./node-meaning.js";
import { type GraphShape, type GraphSpec, type Kind, randomGraph, type Trigger } from "./random-graph.js";

const modes = ["invoke", "stream", "collect", "transform"] as const;

/** What the caller does to a run. */
interface Use {
  readonly mode: (typeof modes)[number];
  /** The signal fires after so many microtasks. */
  readonly abortAfter: number | undefined;
  /** The signal fires in this call of a node. */
  readonly abortInCall: number | undefined;
  /** The reader of the output is cancelled after so many microtasks. */
  readonly cancelAfter: number | undefined;
  /** The loop over the output is left after so many chunks. */
  readonly leaveAfter: number | undefined;
}

const sometimes = (most: number): fc.Arbitrary<number | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, { arbitrary: fc.nat(most), weight: 1 });

const use: fc.Arbitrary<Use> = fc.record({
  mode: fc.constantFrom(...modes, "invoke"),
  abortAfter: sometimes(40),
  abortInCall: sometimes(4),
  cancelAfter: sometimes(40),
  leaveAfter: sometimes(4),
});

const input: Value = { start: "once upon a time" };

async function* pieces(lab: Lab): AsyncGenerator<Value> {
  lab.open++;
  try {
    for (const piece of cut("once upon a time", 3)) {
      await microtasks(2);
      yield { start: piece };
    }
  } finally {
    lab.open--;
  }
}

/** A run of a generated graph, from its start until everything has settled. */
class UsedRun {
  readonly log: HandlerLog;
  /** How often nodes were called after the run was stopped, or over. */
  lateCalls = 0;
  readonly #graph: Runnable<Value, Value>;
  readonly #use: Use;
  readonly #controller = new AbortController();
  #calls = 0;
  #isOver = false;
  readonly #lab: Lab = newLab({
    onCall: () => {
      if (this.#isOver || this.#controller.signal.aborted) this.lateCalls++;
      if (this.#calls++ === this.#use.abortInCall) this.#controller.abort(new Error("stop"));
    },
  });

  constructor(spec: GraphSpec, use: Use, handlers: readonly HandlerKind[]) {
    this.#graph = buildGraph(spec, this.#lab);
    this.#use = use;
    this.log = new HandlerLog(handlers);
  }

  get openStreams(): number {
    return this.#lab.open;
  }

  async run(): Promise<void> {
    const { abortAfter } = this.#use;
    const running = this.#start().then(
      () => undefined,
      () => undefined,
    );
    if (abortAfter !== undefined) {
      await microtasks(abortAfter);
      this.#controller.abort(new Error("stop"));
      await expectSoon(running);
    }
    await running;
    this.#isOver = true;
    for (let n = 0; n < 3; n++) await settled();
  }

  async #start(): Promise<void> {
    const { mode } = this.#use;
    const options = { callbacks: this.log.handlers, signal: this.#controller.signal };
    if (mode === "invoke") await this.#graph.invoke(input, options);
    else if (mode === "collect") await this.#graph.collect(this.#source(), options);
    else if (mode === "stream") await this.#read(this.#graph.stream(input, options));
    else await this.#read(this.#graph.transform(this.#source(), options));
  }

  #source(): StreamReader<Value> {
    return StreamReader.from(pieces(this.#lab)).withRule("record");
  }

  async #read(reader: StreamReader<Value>): Promise<void> {
    const { cancelAfter, leaveAfter } = this.#use;
    if (cancelAfter !== undefined) void microtasks(cancelAfter).then(() => reader.cancel(new Error("enough")));
    let count = 0;
    for await (const _chunk of reader) if (count++ === leaveAfter) break;
  }
}

/** However long its nodes take, a run that was stopped is over. */
async function expectSoon(running: Promise<void>): Promise<void> {
  const over = await Promise.race([running.then(() => true), microtasks(20).then(() => false)]);
  expect(over, "over soon after the abort").toBe(true);
}

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

const kinds: readonly Kind[] = [
  "sync",
  "async",
  "async",
  "generator",
  "generator",
  "async stream",
  "async stream",
  "stream",
  "collect",
  "map",
  "transform",
  "passthrough",
  "graph",
];

describe.each<Trigger>(["allPredecessor", "anyPredecessor"])("a run of a graph of the mode %s", (trigger) => {
  it("ends once for every handler, children first, and leaves nothing open, whatever fails and whenever it is stopped", async () => {
    const shape: GraphShape = {
      trigger,
      branchesGo: [...Array<"right">(14).fill("right"), "astray", "wrong"],
      ticks: [0, 0, 1, 2, 5, 12, 100],
      failures: ["never", "never", "never", "never", "never", "never", "at the call", "in mid-stream"],
    };
    const spec = fc.oneof(
      randomGraph({ ...shape, kinds: ["sync", "sync", "async"] }),
      randomGraph({ ...shape, kinds }),
    );
    const handlers = fc.array(fc.constantFrom(...handlerKinds), { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(spec, use, handlers, async (graph, given, heardBy) => {
        const used = new UsedRun(graph, given, heardBy);
        await used.run();
        used.log.checkEnds();
        used.log.checkOrder();
        used.log.checkNesting();
        expect(used.openStreams).toBe(0);
        expect(used.lateCalls).toBe(0);
        expect(unhandled.splice(0)).toEqual([]);
      }),
      { numRuns: numberOfRuns(200) },
    );
  });
});
