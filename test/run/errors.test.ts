import {
  Chain,
  END,
  findCause,
  Graph,
  KumikoError,
  lambda,
  mapChunks,
  type NodeContext,
  type Runnable,
  START,
  StreamReader,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { forever } from "./gate.js";
import { errorOf, rejectedBy } from "./rejected-by.js";

class RateLimited extends Error {}
const limited = new RateLimited("slow down");

const modes = ["invoke", "stream", "collect", "transform"] as const;
const inAllModes = (runnable: Runnable<string, unknown>): Promise<KumikoError>[] =>
  modes.map((mode) => {
    switch (mode) {
      case "invoke":
        return errorOf(runnable.invoke(""));
      case "stream":
        return errorOf(runnable.stream("").concat());
      case "collect":
        return errorOf(runnable.collect(StreamReader.from([""])));
      case "transform":
        return errorOf(runnable.transform(StreamReader.from([""])).concat());
      default:
        return mode satisfies never;
    }
  });

const failing: Record<string, () => unknown> = {
  throws: () => {
    throw limited;
  },
  rejects: () => Promise.reject(limited),
  "streams and fails": async function* () {
    yield "first";
    throw limited;
  },
  "streams and fails at once": async function* () {
    yield* [] as string[];
    throw limited;
  },
};

describe.each(Object.entries(failing))("A node that %s", (_how, fails) => {
  const step = new Chain<string>().append(fails, { key: "step" });

  it("fails the run in every mode with one error around its own, and its path", async () => {
    for (const error of await Promise.all(inAllModes(step.compile()))) {
      expect(error).toMatchObject({
        code: "NODE_FAILED",
        nodePath: ["step"],
        message: 'Node "step" failed: slow down',
      });
      expect(error.cause).toBe(limited);
      expect(findCause(error, RateLimited)).toBe(limited);
    }
  });

  it("has the whole path in graphs inside, and is wrapped once", async () => {
    const middle = new Chain<string>().append(step, { key: "middle" });
    const outer = new Chain<string>().append(middle, { key: "outer" }).compile();
    for (const error of await Promise.all(inAllModes(outer))) {
      expect(error.nodePath).toEqual(["outer", "middle", "step"]);
      expect(error.cause).toBe(limited);
    }
  });

  it("has the whole path in graphs that functions run as their children", async () => {
    const compiled = step.compile();
    const middle = new Chain<string>()
      .append((text, ctx) => compiled.invoke(text, { parent: ctx }), { key: "middle" })
      .compile();
    const outer = new Chain<string>()
      .append((text, ctx) => middle.stream(text, { parent: ctx }), { key: "outer" })
      .compile();
    for (const error of await Promise.all(inAllModes(outer))) {
      expect(error.nodePath).toEqual(["outer", "middle", "step"]);
      expect(error.cause).toBe(limited);
    }
  });

  it("is blamed for its error, not those that read what it streams", async () => {
    const chain = new Chain<string>()
      .append((text) => text, { key: "before" })
      .append(fails, { key: "step" })
      .append(
        mapChunks((text: unknown) => text),
        { key: "chunks" },
      )
      .append(
        lambda({
          transform: async function* (chunks: StreamReader<unknown>) {
            yield* chunks;
          },
        }),
        { key: "reads" },
      )
      .append((text) => text, { key: "whole" })
      .compile();
    for (const error of await Promise.all(inAllModes(chain))) {
      expect(error.nodePath).toEqual(["step"]);
      expect(error.cause).toBe(limited);
    }
  });

  it("is blamed although a sibling streams on and on, in a graph of either kind", async () => {
    for (const triggerMode of ["anyPredecessor", "allPredecessor"] as const) {
      const graph = new Graph<string, unknown>()
        .addNode("endless", async function* () {
          yield { a: 1 };
          await forever();
        })
        .addNode("step", fails as () => object)
        .addNode("join", (both: object) => both)
        .addEdge(START, "endless")
        .addEdge(START, "step")
        .addEdge("endless", "join")
        .addEdge("step", "join")
        .addEdge("join", END)
        .compile({ triggerMode });
      const error = await errorOf(graph.stream("").concat());
      expect(error.nodePath).toEqual(error.code === "CANNOT_MERGE" ? ["join"] : ["step"]);
    }
  });
});

describe("An error in a stream", () => {
  it("comes after the chunks before it, and ends the stream", async () => {
    const stream = new Chain<string>()
      .append(async function* () {
        yield "first";
        throw limited;
      })
      .compile()
      .stream("");
    expect(await stream.next()).toEqual({ done: false, value: "first" });
    expect(await errorOf(stream.next())).toMatchObject({ nodePath: ["node_0"] });
    expect((await stream.next()).done).toBe(true);
  });

  it("that a node handles is no error of the run", async () => {
    const chain = new Chain<string>()
      .append(async function* (): AsyncGenerator<string, void> {
        yield "first";
        throw limited;
      })
      .append(
        lambda({
          transform: async function* (chunks: StreamReader<string>) {
            try {
              yield* chunks;
            } catch (error) {
              yield ` and ${(error as Error).message}`;
            }
          },
        }),
      )
      .compile();
    expect(await chain.stream("").concat()).toBe("first and slow down");
  });

  it("that a node replaces is the node's own", async () => {
    const chain = new Chain<string>()
      .append(async function* (): AsyncGenerator<string, void> {
        yield "first";
        throw limited;
      })
      .append(
        lambda({
          transform: async function* (chunks: StreamReader<string>) {
            try {
              yield* chunks;
            } catch (cause) {
              throw new Error("replaced", { cause });
            }
          },
        }),
        { key: "replaces" },
      )
      .compile();
    const error = await errorOf(chain.stream("").concat());
    expect(error).toMatchObject({ nodePath: ["replaces"], message: 'Node "replaces" failed: replaced' });
    expect(findCause(error, RateLimited)).toBe(limited);
  });

  it("of a chunk function is placed at its node, also among its like", async () => {
    const chain = new Chain<string>()
      .append(
        mapChunks((text: string) => text.trim()),
        { key: "trim" },
      )
      .append(
        mapChunks((text: string) => {
          if (text === "b") throw limited;
          return text;
        }),
        { key: "check" },
      )
      .append(
        mapChunks((text: string) => text),
        { key: "same" },
      )
      .compile();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of chain.transform(StreamReader.from([" a", "b ", "c"]))) seen.push(chunk);
    })();
    expect((await errorOf(reading)).nodePath).toEqual(["check"]);
    expect(seen).toEqual(["a"]);
  });

  it("of the stream that went in is nobody's in the graph", async () => {
    const chain = new Chain<string>().append((text) => text, { key: "reads" }).compile();
    const broken = async function* (): AsyncGenerator<string, void> {
      yield "a";
      throw limited;
    };
    for (const run of [chain.collect(broken()), chain.transform(broken()).concat()]) {
      const error = await errorOf(run);
      expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: [] });
      expect(error.cause).toBe(limited);
    }
  });
});

describe("Errors of the library", () => {
  it("keep their code, and get the path of the node that threw them", async () => {
    const own = () => new KumikoError("VALIDATION", "not like this");
    const chain = new Chain<string>()
      .append(
        new Chain<string>().append(() => Promise.reject(own()), { key: "in" }),
        { key: "out" },
      )
      .compile();
    for (const error of await Promise.all(inAllModes(chain))) {
      expect(error).toMatchObject({ code: "VALIDATION", message: "not like this", nodePath: ["out", "in"] });
    }
  });

  it("of a run that is not a child have the path from the outer one to the end", async () => {
    const inner = new Chain<string>().append(() => Promise.reject(limited), { key: "step" }).compile();
    const outer = new Chain<string>().append((text) => inner.invoke(text), { key: "outer" }).compile();
    const error = await errorOf(outer.invoke(""));
    expect(error.nodePath).toEqual(["outer", "step"]);
    expect(error.cause).toBe(limited);
  });
});

describe("What is no error", () => {
  it.each([
    ["a text", "boom", "boom"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["a number", 7, "7"],
    ["a record", { reason: "no" }, '{"reason":"no"}'],
    [
      "an object that cannot be written",
      Object.create(null, {
        toString: { value: () => "odd" },
        toJSON: {
          value: () => {
            throw new Error("no");
          },
        },
      }),
      "odd",
    ],
  ])("is wrapped when it is thrown: %s", async (_what, thrown, text) => {
    const chain = new Chain<string>().append(() => Promise.reject(thrown), { key: "step" }).compile();
    for (const error of await Promise.all(inAllModes(chain))) {
      expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["step"], message: `Node "step" failed: ${text}` });
      expect(error.cause).toBe(thrown);
    }
  });

  it("is thrown by the run as it is when it was the reason of an abort", async () => {
    const controller = new AbortController();
    const chain = new Chain<string>()
      .append(
        (_text, { signal }) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      )
      .compile();
    const run = chain.invoke("", { signal: controller.signal });
    controller.abort("enough");
    expect(await rejectedBy(run)).toBe("enough");
  });
});

describe("Of several nodes that fail", () => {
  it("in one step, the one that fails first is blamed", async () => {
    const chain = new Chain<string>()
      .appendParallel({
        later: async () => {
          await Promise.resolve();
          await Promise.resolve();
          throw new Error("later");
        },
        sooner: async () => {
          throw new Error("sooner");
        },
      })
      .compile();
    expect(await errorOf(chain.invoke(""))).toMatchObject({
      nodePath: ["node_0_parallel_sooner"],
      cause: { message: "sooner" },
    });
  });

  it("with one and the same error, the one that was declared first is blamed", async () => {
    const chain = new Chain<string>()
      .appendParallel({ a: () => Promise.reject(limited), b: () => Promise.reject(limited) })
      .compile();
    expect((await errorOf(chain.invoke(""))).nodePath).toEqual(["node_0_parallel_a"]);
  });

  it("at once, all of its step have started", async () => {
    const ran: string[] = [];
    const chain = new Chain<string>()
      .appendParallel({
        fails: () => {
          throw limited;
        },
        next: () => ran.push("next"),
      })
      .compile();
    expect((await errorOf(chain.invoke(""))).nodePath).toEqual(["node_0_parallel_fails"]);
    expect(ran).toEqual(["next"]);
  });
});

it("keeps the stack of asynchronous functions down to the caller", async () => {
  const chain = new Chain<string>()
    .append(async () => {
      await Promise.resolve();
      return "";
    })
    .append(async function theCulprit(_text: string, _ctx: NodeContext): Promise<string> {
      await Promise.resolve();
      throw new Error("boom");
    })
    .compile();
  async function theCaller(): Promise<string> {
    return await chain.invoke("");
  }
  const error = await errorOf(theCaller());
  expect((error.cause as Error).stack).toMatch(/theCulprit[\s\S]*theCaller/);
});

it("names a lambda that runs alone the run", async () => {
  const alone = lambda({
    invoke: (_: string) => {
      throw limited;
    },
  });
  for (const error of await Promise.all(inAllModes(alone))) {
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: [], message: "The run failed: slow down" });
    expect(error.cause).toBe(limited);
  }
});
