import { END, Graph, memoryStore, type NodeContext, type NodeFailure, START } from "kumiko";
import type { TriggerMode } from "kumiko/compose";
import { describe, expect, it } from "vitest";

const triggerModes: readonly TriggerMode[] = ["anyPredecessor", "allPredecessor"];

function build(work: (text: string, ctx: NodeContext) => unknown, triggerMode: TriggerMode, store = memoryStore()) {
  return new Graph<string, string>()
    .addNode("work", work as (text: string) => string)
    .addNode("next", (text: string) => `next ${text}`)
    .addNode("sorry", (failure: NodeFailure<string>) => {
      const { node, input, error, attempts } = failure;
      return `${node} ${input} ${error.code} ${(error.cause as Error | undefined)?.message} ${attempts}`;
    })
    .addEdge("start", "work")
    .addErrorBranch("work", ["sorry"], () => "sorry")
    .addEdge("work", "next")
    .addEdge("next", "end")
    .addEdge("sorry", "end")
    .compile({ triggerMode, store });
}

describe.each(triggerModes)("an error branch in a graph with %s", (triggerMode) => {
  const fails = () => {
    throw new Error("broken");
  };

  it("takes the failure of its node, and nothing that follows on success runs", async () => {
    const app = build(fails, triggerMode);
    const expected = "work a NODE_FAILED broken 1";
    expect(await app.invoke("a")).toBe(expected);
    expect(await app.stream("a").concat()).toBe(expected);
    expect(await app.invoke("a", { checkpointId: "one" })).toBe(expected);
    expect(await app.stream("a", { checkpointId: "two" }).concat()).toBe(expected);
  });

  it("is skipped when its node succeeds", async () => {
    const app = build((text) => text, triggerMode);
    expect(await app.invoke("a")).toBe("next a");
    expect(await app.stream("a").concat()).toBe("next a");
  });

  it("holds the stream of its node until it is whole", async () => {
    const app = build(async function* (text) {
      yield text;
      throw new Error("cut");
    }, triggerMode);
    const expected = "work a NODE_FAILED cut 1";
    expect(await app.invoke("a")).toBe(expected);
    expect(await app.stream("a").concat()).toBe(expected);
  });

  it("leaves the failure as it is when it chooses nothing", async () => {
    const app = new Graph<string, string>()
      .addNode("work", fails as (text: string) => string)
      .addNode("sorry", ({ error }: NodeFailure<string>) => error.message)
      .addEdge("start", "work")
      .addEdge("work", "end")
      .addErrorBranch("work", ["sorry"], () => undefined)
      .addEdge("sorry", "end")
      .compile({ triggerMode });
    await expect(app.invoke("a")).rejects.toMatchObject({
      code: "NODE_FAILED",
      nodePath: ["work"],
      cause: { message: "broken" },
    });
    await expect(app.stream("a").concat()).rejects.toMatchObject({ code: "NODE_FAILED", nodePath: ["work"] });
  });

  it.each([undefined, { attempts: 2, delayMs: 0 }])(
    "says where in a graph that streams it began (%o)",
    async (retry) => {
      const seen: unknown[] = [];
      const inner = new Graph<string, string>()
        .addNode("deep", async function* (text: string) {
          yield text;
          throw new Error("cut");
        })
        .addEdge("start", "deep")
        .addEdge("deep", "end");
      const app = new Graph<string, string>()
        .addNode("work", inner, { retry })
        .addNode("sorry", ({ error }: NodeFailure<string>) => error.message)
        .addEdge("start", "work")
        .addEdge("work", "end")
        .addErrorBranch("work", ["sorry"], ({ error }) => {
          seen.push(error.nodePath);
          return undefined;
        })
        .addEdge("sorry", "end")
        .compile({ triggerMode });
      const expected = { code: "NODE_FAILED", nodePath: ["work", "deep"], cause: { message: "cut" } };
      await expect(app.invoke("a")).rejects.toMatchObject(expected);
      await expect(app.stream("a").concat()).rejects.toMatchObject(expected);
      expect(seen).toEqual([
        ["work", "deep"],
        ["work", "deep"],
      ]);
    },
  );

  it("stops no sibling", async () => {
    let finished = 0;
    let aborted = false;
    const app = new Graph<string, { sorry?: string; slow: string }>()
      .addNode("work", fails as (text: string) => string)
      .addNode(
        "slow",
        async (text: string, { signal }) => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          aborted = signal.aborted;
          finished++;
          return text;
        },
        { outputKey: "slow" },
      )
      .addNode("sorry", (_failure: NodeFailure<string>) => "sorry", { outputKey: "sorry" })
      .addNode("same", (value: { slow: string }) => value)
      .addNode("join", (value: { sorry?: string; slow: string }) => value)
      .addEdge("start", "work")
      .addEdge("start", "slow")
      .addErrorBranch("work", ["sorry"], () => "sorry")
      .addEdge("work", "end" as never)
      .addEdge("slow", "same")
      .addEdge("same", "join")
      .addEdge("sorry", "join" as never)
      .addEdge("join", "end")
      .compile({ triggerMode });
    expect(await app.invoke("a")).toEqual({ sorry: "sorry", slow: "a" });
    expect([finished, aborted]).toEqual([1, false]);
  });

  it("is decided once, also over a crash", async () => {
    let tried = 0;
    let chosen = 0;
    let crashed = false;
    const store = memoryStore();
    const app = new Graph<string, string>()
      .addNode("work", (_text: string): string => {
        tried++;
        throw new Error("broken");
      })
      .addNode("sorry", ({ error }: NodeFailure<string>) => {
        if (!crashed) {
          crashed = true;
          throw new Error("crash");
        }
        return (error.cause as Error).message;
      })
      .addEdge("start", "work")
      .addEdge("work", "end")
      .addErrorBranch("work", ["sorry"], () => {
        chosen++;
        return "sorry";
      })
      .addEdge("sorry", "end")
      .compile({ triggerMode, store, durability: "step" });
    await expect(app.invoke("a", { checkpointId: "id" })).rejects.toMatchObject({ cause: { message: "crash" } });
    expect(await app.resume("id")).toBe("broken");
    expect([tried, chosen]).toEqual([1, 1]);
  });

  it("may ask somebody, and its node does not run again", async () => {
    let tried = 0;
    const app = new Graph<string, string>()
      .addNode("work", (_text: string): string => {
        tried++;
        throw new Error("broken");
      })
      .addNode("sorry", ({ error }: NodeFailure<string>) => (error.cause as Error).message)
      .addEdge("start", "work")
      .addEdge("work", "end")
      .addErrorBranch("work", ["sorry"], async (_failure, ctx) =>
        (await ctx.ask<string>("how", "how?")) === "sorry" ? "sorry" : undefined,
      )
      .addEdge("sorry", "end")
      .compile({ triggerMode, store: memoryStore() });
    const stopped = await app.invoke("a", { checkpointId: "id" }).catch((error) => error);
    expect(await app.resume("id", { [stopped.interrupts[0].id]: "sorry" })).toBe("broken");
    expect(tried).toBe(1);
  });

  it("takes failures of `before` and `after` too", async () => {
    const app = (options: object) =>
      new Graph<string, string>()
        .withState(() => ({ count: 0 }))
        .addNode("work", (text: string) => text, options)
        .addNode("sorry", ({ input, error }: NodeFailure<string>) => `${input} ${(error.cause as Error).message}`)
        .addEdge("start", "work")
        .addEdge("work", "end")
        .addErrorBranch("work", ["sorry"], () => "sorry")
        .addEdge("sorry", "end")
        .compile({ triggerMode });
    for (const [options, expected] of [
      [{ before: fails }, "undefined broken"],
      [{ after: fails }, "a broken"],
      [{ streamAfter: fails }, "a broken"],
    ] as const) {
      expect(await app(options).invoke("a")).toBe(expected);
      expect(await app(options).stream("a").concat()).toBe(expected);
    }
  });

  it("does not take the failure of the node whose stream its node reads", async () => {
    const app = new Graph<string, string>()
      .addNode("source", async function* (text: string) {
        yield text;
        throw new Error("upstream");
      })
      .addNode("work", (text: string) => text)
      .addNode("sorry", (_failure: NodeFailure<string>) => "sorry")
      .addEdge("start", "source")
      .addEdge("source", "work")
      .addEdge("work", "end")
      .addErrorBranch("work", ["sorry"], () => "sorry")
      .addEdge("sorry", "end")
      .compile({ triggerMode });
    await expect(app.invoke("a")).rejects.toMatchObject({ nodePath: ["source"] });
    await expect(app.stream("a").concat()).rejects.toMatchObject({ nodePath: ["source"] });
  });

  it("takes the failure of a graph that is its node", async () => {
    const inner = new Graph<string, string>()
      .addNode("deep", fails as (text: string) => string)
      .addEdge("start", "deep")
      .addEdge("deep", "end");
    const app = new Graph<string, string>()
      .addNode("inner", inner)
      .addNode("sorry", ({ node, input, error }: NodeFailure<string>) => `${node} ${input} ${error.nodePath.join("/")}`)
      .addEdge("start", "inner")
      .addEdge("inner", "end")
      .addErrorBranch("inner", ["sorry"], () => "sorry")
      .addEdge("sorry", "end")
      .compile({ triggerMode });
    expect(await app.invoke("a")).toBe("inner a inner/deep");
    expect(await app.stream("a").concat()).toBe("inner a inner/deep");
  });
});

it("works in an untyped graph", async () => {
  const graph = new Graph<string, string>().untyped();
  graph.addNode("work", (text: { text: string }) => {
    if (text.text === "a") throw new Error("broken");
    return text.text;
  });
  graph.addNode("wrap", (text: string) => ({ text }));
  graph.addNode("sorry", ({ input }: NodeFailure<{ text: string }>) => `sorry ${input.text}`);
  graph.addEdge(START, "wrap").addEdge("wrap", "work").addEdge("work", END).addEdge("sorry", END);
  graph.addErrorBranch("work", ["sorry"], () => {
    return "sorry";
  });
  const app = graph.compile();
  expect(await app.invoke("a")).toBe("sorry a");
  expect(app.graphInfo().edges).toContainEqual({ from: "work", to: "sorry", kind: "error" });
});

it("stands once behind a node, and not behind START", () => {
  const graph = (): Loose => new Graph<string, string>().addNode("work", (text: string) => text) as never;
  type Loose = { addErrorBranch(...given: unknown[]): Loose };
  const branch = (builder: Loose, from: string) => builder.addErrorBranch(from, ["end"], () => "end");
  expect(() => branch(graph(), "start")).toThrow("does not fail");
  expect(() => branch(branch(graph(), "work"), "work")).toThrow("is a second error branch");
});
