import { END, Graph, lambda, mapChunks, START, type StreamReader } from "kumiko";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { settled } from "../schema/stream/producer.js";
import { errorOf, rejectedBy } from "./rejected-by.js";

const deep = 10_000;

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));
beforeEach(() => {
  unhandled.length = 0;
});

interface Steps {
  begun: number;
  ended: number;
  inputEnded: boolean;
}

/** A loop whose steps each read the stream of the step before, chunk by chunk. `fails` is the step that throws. */
function loop(fails?: number) {
  const steps: Steps = { begun: 0, ended: 0, inputEnded: false };
  const graph = new Graph<string, string>()
    .addNode(
      "step",
      lambda({
        transform: async function* (chunks: StreamReader<string>) {
          const step = ++steps.begun;
          try {
            for await (const chunk of chunks) {
              if (step === fails && chunk === "c") throw new Error(`step ${step}`);
              yield chunk;
            }
          } finally {
            steps.ended++;
          }
        },
      }),
    )
    .addEdge(START, "step")
    .addStreamBranch("step", ["step", END], async (chunks) => {
      for await (const _ of chunks) break;
      return steps.begun < deep ? "step" : END;
    })
    .compile({ maxSteps: deep });
  const input = async function* (): AsyncGenerator<string, undefined> {
    try {
      yield* "abcd";
    } finally {
      steps.inputEnded = true;
    }
  };
  return { graph, input, steps };
}

const allEnded = { begun: deep, ended: deep, inputEnded: true };

describe("A loop of thousands of streams that read each other", () => {
  it("gives all chunks", async () => {
    const { graph, input, steps } = loop();
    expect(await graph.transform(input()).concat()).toBe("abcd");
    expect(steps).toEqual(allEnded);
  });

  it("gives what a stream from one value gives", async () => {
    const { graph } = loop();
    expect(await graph.stream("abcd").concat()).toBe("abcd");
  });

  it.each([
    ["innermost", 1],
    ["outermost", deep],
  ])("fails with the error of the %s one", async (_which, fails) => {
    const { graph, input, steps } = loop(fails);
    const error = await errorOf(graph.transform(input()).concat());
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["step"], cause: new Error(`step ${fails}`) });
    await settled();
    expect(steps).toEqual(allEnded);
    expect(unhandled).toEqual([]);
  });

  it("ends them all when it is left", async () => {
    const { graph, input, steps } = loop();
    for await (const chunk of graph.transform(input())) if (chunk === "b") break;
    await settled();
    expect(steps).toEqual(allEnded);
    expect(unhandled).toEqual([]);
  });

  it("ends them all when it is stopped", async () => {
    const { graph, input, steps } = loop();
    const stop = new AbortController();
    const reader = graph.transform(input(), { signal: stop.signal });
    await reader.next();
    const next = rejectedBy(reader.next());
    stop.abort(new Error("enough"));
    expect(await next).toEqual(new Error("enough"));
    await settled();
    expect(steps).toEqual(allEnded);
    expect(unhandled).toEqual([]);
  });

  it("may map chunk by chunk", async () => {
    let steps = 0;
    const graph = new Graph<string, string>()
      .addNode(
        "step",
        mapChunks((chunk: string) => chunk),
      )
      .addEdge(START, "step")
      .addStreamBranch("step", ["step", END], async (chunks) => {
        for await (const _ of chunks) break;
        return ++steps < deep ? "step" : END;
      })
      .compile({ maxSteps: deep });
    expect(await graph.transform(loop().input()).concat()).toBe("abcd");
  });
});
