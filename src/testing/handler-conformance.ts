import type { Handler, HandlerTiming } from "../callbacks/handler.js";
import type { NodeContext } from "../components/context.js";
import { Graph } from "../compose/graph.js";
import { lambda } from "../compose/lambda.js";
import { END, START } from "../compose/plan/plan.js";
import type { Runnable } from "../compose/runnable.js";
import { Runtime } from "../compose/runtime.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { type ConformanceCheck, checkMake, expectThat, turns } from "./conformance.js";
import { deepEqual } from "./deep-equal.js";

/**
 * Checks for a handler, for any test runner: it must handle runs of every outcome, streams, unusual values and concurrent runs
 * without throwing and without changing values. `make` is called for each check.
 *
 * @example
 * const checks = handlerConformance(() => traceRecorder());
 * for (const { run } of checks) await run();
 */
export function handlerConformance(make: () => Handler): ConformanceCheck[] {
  checkMake("handlerConformance", make);
  const check = (name: string, run: (stage: Stage) => Promise<void>): ConformanceCheck => ({
    name,
    run: async () => {
      const stage = new Stage(make());
      await run(stage);
      await turns();
      const [problem] = stage.problems;
      expectThat(problem === undefined, `The handler throws in ${problem?.timing}: ${String(problem?.error)}`);
    },
  });
  return [
    check("handles a run that succeeds", async (stage) => {
      await stage.graph((text) => text).invoke("text");
    }),
    check("handles a run that fails", async (stage) => {
      const failing = stage.graph(() => {
        throw new Error("failed on purpose");
      });
      await failing.invoke("text").catch(() => undefined);
    }),
    check("handles a run that fails with something other than an Error", async (stage) => {
      await stage
        .graph(() => Promise.reject(undefined))
        .invoke("text")
        .catch(() => undefined);
    }),
    check("handles a run that is aborted", async (stage) => {
      const controller = new AbortController();
      const run = stage.graph(() => new Promise(() => undefined)).invoke("text", { signal: controller.signal });
      controller.abort();
      await run.catch(() => undefined);
    }),
    check("handles a stream that is read to its end", async (stage) => {
      await stage.streaming().stream("text").concat();
    }),
    check("handles an input stream", async (stage) => {
      await stage.streaming().collect(letters("text"));
    }),
    check("handles a stream that is cancelled early", async (stage) => {
      for await (const _chunk of stage.streaming().stream("text")) break;
    }),
    check("handles a stream that fails", async (stage) => {
      const failing = stage.graph(failingStream);
      await failing
        .stream("text")
        .concat()
        .catch(() => undefined);
    }),
    check("handles side events", async (stage) => {
      const events = [undefined, null, "half", { done: 1 }, cyclic()];
      const report: Inner = (text, { progress }) => {
        for (const event of events) progress(event);
        return text;
      };
      await stage.graph(report).invoke("text");
    }),
    check("handles values that JSON cannot represent", async (stage) => {
      for (const value of oddValues()) await stage.graph(() => value).invoke(value);
    }),
    check("handles concurrent runs", async (stage) => {
      const graph = stage.graph((text) => turns().then(() => text));
      await Promise.all(["a", "b", "c"].map((text) => graph.invoke(text)));
    }),
    check("does not change values", async (stage) => {
      const value = { list: [{ text: "a" }], map: new Map([["key", [1]]]) };
      const before = structuredClone(value);
      await stage.graph(() => value).invoke(value);
      expectThat(deepEqual(value, before), "A value has changed.");
    }),
  ];
}

interface Problem {
  readonly error: unknown;
  readonly timing: HandlerTiming;
}

type Inner = (input: unknown, ctx: NodeContext) => unknown;

/** Runs graphs with a handler, and records its errors. */
class Stage {
  readonly problems: Problem[] = [];
  readonly #runtime: Runtime;

  constructor(handler: Handler) {
    this.#runtime = new Runtime({
      callbacks: [handler],
      onHandlerError: (error, timing) => this.problems.push({ error, timing }),
    });
  }

  /** A graph in a graph, with one node. */
  graph(node: Inner): Runnable<unknown, unknown> {
    const inner = new Graph<unknown, unknown>().addNode("inner", node).addEdge(START, "inner").addEdge("inner", END);
    return new Graph<unknown, unknown>()
      .addNode("outer", inner)
      .addEdge(START, "outer")
      .addEdge("outer", END)
      .compile({ name: "stage", runtime: this.#runtime });
  }

  /** A graph that streams letters through a node that transforms a stream. */
  streaming(): Runnable<string, string> {
    return new Graph<string, string>()
      .addNode("letters", letters)
      .addNode("same", lambda({ transform: (stream: StreamReader<string>) => stream.map((letter) => letter) }))
      .addEdge(START, "letters")
      .addEdge("letters", "same")
      .addEdge("same", END)
      .compile({ name: "stage", runtime: this.#runtime });
  }
}

async function* letters(text: string): AsyncGenerator<string, void> {
  yield* text;
}

async function* failingStream(): AsyncGenerator<string, void> {
  yield "first";
  throw new Error("failed on purpose");
}

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value.itself = value;
  return value;
}

function oddValues(): unknown[] {
  const throwing = {
    get value(): never {
      throw new Error("cannot be read");
    },
  };
  return [undefined, null, 1n, Number.NaN, Symbol("s"), () => 1, cyclic(), throwing, new Map([[{}, new Set([1n])]])];
}
