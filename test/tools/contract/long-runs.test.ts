import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  asTool,
  Chain,
  concatMessages,
  createTool,
  END,
  functionToolCall,
  Graph,
  type Interrupt,
  isInterrupt,
  memoryStore,
  RunControl,
  START,
  StreamReader,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, gate, joined, noting, rejectionOf, textsOf, ticks } from "./asking.js";

async function questionsOf(run: Promise<unknown>): Promise<Interrupt[]> {
  const error = await rejectionOf(run);
  if (!isInterrupt(error)) throw error;
  return [...error.interrupts];
}
const idOf = (questions: readonly Interrupt[], index = 0): string => questions[index]?.id ?? "";

describe("a run that is saved step by step", () => {
  it("does not repeat finished calls after its process has gone, in parallel and in order", async () => {
    for (const executeSequentially of [false, true]) {
      const store = memoryStore();
      const runs: string[] = [];
      const dead = gate();
      let isAlive = true;
      const app = () => {
        const tools = [
          createTool({ id: "a", description: "", execute: () => noting(runs, "a", "A") }),
          createTool({
            id: "flow",
            description: "",
            execute: async function* () {
              runs.push("flow");
              yield "F";
              yield "L";
            },
          }),
          createTool({
            id: "hang",
            description: "",
            execute: async (_input, ctx) => {
              runs.push("hang");
              await ctx.once("work", () => noting(runs, "work", 1));
              if (isAlive) {
                dead.open();
                await new Promise(() => {});
              }
              return "H";
            },
          }),
          createTool({ id: "last", description: "", execute: () => noting(runs, "last", "L") }),
        ];
        return new Chain<AgenticMessage>()
          .appendToolsNode(new AgenticToolsNode({ tools, executeSequentially }), { key: "tools" })
          .compile({ store, durability: "step" });
      };
      const message = asking(["a"], ["flow"], ["hang"], ["last"]);
      app()
        .invoke(message, { checkpointId: "1" })
        .catch(() => {});
      await dead.opened;
      await ticks(5);
      isAlive = false;
      expect(textsOf(await app().resume("1", undefined, { takeover: true }))).toEqual(["A", "FL", "H", "L"]);
      expect(runs.filter((run) => run !== "hang").sort()).toEqual(["a", "flow", "last", "work"]);
      expect(runs.filter((run) => run === "hang")).toHaveLength(2);
    }
  });

  it("keeps an approval that was given, when the approved call fails and the run is resumed", async () => {
    const store = memoryStore();
    let isDown = true;
    let runs = 0;
    const app = () =>
      new Chain<AgenticMessage>()
        .appendToolsNode(
          new AgenticToolsNode([
            createTool({
              id: "pay",
              description: "",
              requireApproval: true,
              execute: () => {
                runs += 1;
                if (isDown) throw new Error("down");
                return "paid";
              },
            }),
          ]),
        )
        .compile({ store });
    const questions = await questionsOf(app().invoke(asking(["pay"]), { checkpointId: "1" }));
    const error = await rejectionOf(app().resume("1", { [idOf(questions)]: { approved: true } }));
    expect(error).toMatchObject({ kind: "execution" });
    isDown = false;
    expect(textsOf(await app().resume("1"))).toEqual(["paid"]);
    expect(runs).toBe(2);
  });

  it("keeps an output that was not accepted: the tool does not run again, its output is checked again", async () => {
    const store = memoryStore();
    let runs = 0;
    const app = (outputSchema: z.ZodType) =>
      new Chain<AgenticMessage>()
        .appendToolsNode(
          new AgenticToolsNode([
            createTool({
              id: "pay",
              description: "",
              outputSchema,
              execute: () => {
                runs += 1;
                return { paid: "12" };
              },
            }),
          ]),
        )
        .compile({ store });
    expect(
      await rejectionOf(app(z.object({ paid: z.number() })).invoke(asking(["pay"]), { checkpointId: "1" })),
    ).toMatchObject({
      kind: "output_validation",
    });
    expect(textsOf(await app(z.object({ paid: z.string() })).resume("1"))).toEqual(['{"paid":"12"}']);
    expect(runs).toBe(1);
  });
});

describe("several places that wait", () => {
  it("in two tools nodes side by side leave together, and are answered in any order", async () => {
    const store = memoryStore();
    const runs: string[] = [];
    const app = () => {
      const node = (name: string) =>
        new AgenticToolsNode([
          createTool({
            id: "pay",
            description: "",
            requireApproval: true,
            execute: (_input, { toolCallId }) => noting(runs, `${name} ${toolCallId}`, `${name} ${toolCallId}`),
          }),
        ]);
      return new Chain<AgenticMessage>()
        .appendParallel({ left: node("left"), right: node("right") })
        .append(({ left, right }) => [...left, ...right])
        .compile({ name: "two", store });
    };
    const questions = await questionsOf(app().invoke(asking(["pay", {}, "same"]), { checkpointId: "1" }));
    expect(questions.map(({ address }) => address)).toEqual([
      "runnable:two;node:node_0_parallel_left;tool:pay:same",
      "runnable:two;node:node_0_parallel_right;tool:pay:same",
    ]);
    const rest = await questionsOf(app().resume("1", { [idOf(questions, 1)]: { approved: true } }));
    expect(rest.map(({ id }) => id)).toEqual([idOf(questions)]);
    expect(textsOf(await app().resume("1", { [idOf(rest)]: { approved: true } }))).toEqual(["left same", "right same"]);
    expect(runs.sort()).toEqual(["left same", "right same"]);
  });

  it("in a graph that is a tool are asked in the outer run, and answered there", async () => {
    const store = memoryStore();
    const paid: string[] = [];
    const app = () => {
      const inner = new Chain<string>()
        .append((city) => asking(["pay", { city }, "p"]))
        .appendToolsNode(
          new AgenticToolsNode([
            createTool({
              id: "pay",
              description: "",
              inputSchema: z.object({ city: z.string() }),
              requireApproval: true,
              execute: ({ city }) => noting(paid, city, `paid for ${city}`),
            }),
          ]),
        )
        .append((results) => textsOf(results).join())
        .compile({ name: "booking" });
      const book = asTool(
        new Chain<{ city: string }>()
          .append(({ city }) => city)
          .append(inner)
          .compile({ name: "book" }),
        { id: "book", description: "", inputSchema: z.object({ city: z.string() }) },
      );
      return new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([book])).compile({ name: "trip", store });
    };
    const message = asking(["book", { city: "Kyoto" }, "k"], ["book", { city: "Nara" }, "n"]);
    const questions = await questionsOf(app().invoke(message, { checkpointId: "1" }));
    expect(questions.map(({ info }) => (info as { input: unknown }).input)).toEqual([
      { city: "Kyoto" },
      { city: "Nara" },
    ]);
    await questionsOf(app().resume("1", { [idOf(questions, 1)]: { approved: true } }));
    const results = await app().resume("1", { [idOf(questions)]: { approved: false, reason: "no time" } });
    expect(textsOf(results)).toEqual([expect.stringContaining("no time"), "paid for Nara"]);
    expect(paid).toEqual(["Nara"]);
  });
});

describe("stops from outside", () => {
  it("before the node and after it: its tools run once", async () => {
    const store = memoryStore();
    const runs: string[] = [];
    const app = () =>
      new Graph<AgenticMessage, AgenticMessage[]>()
        .addToolsNode(
          "tools",
          new AgenticToolsNode([createTool({ id: "t", description: "", execute: () => noting(runs, "t", "done") })]),
        )
        .addEdge(START, "tools")
        .addEdge("tools", END)
        .compile({ store, interruptBefore: ["tools"], interruptAfter: ["tools"] });
    const [before] = await questionsOf(app().invoke(asking(["t"]), { checkpointId: "1" }));
    expect([before?.info, runs]).toEqual([{ kind: "before_after", before: ["tools"], after: [] }, []]);
    const [after] = await questionsOf(app().resume("1"));
    expect([after?.info, runs]).toEqual([{ kind: "before_after", before: [], after: ["tools"] }, ["t"]]);
    expect(textsOf(await app().resume("1"))).toEqual(["done"]);
    expect(runs).toEqual(["t"]);
  });

  it("by RunControl: what has finished is kept, what was cut off starts again", async () => {
    const store = memoryStore();
    const runs: string[] = [];
    let isSlow = true;
    const begun = gate();
    const app = () =>
      new Chain<AgenticMessage>()
        .appendToolsNode(
          new AgenticToolsNode([
            createTool({ id: "quick", description: "", execute: () => noting(runs, "quick", "Q") }),
            createTool({
              id: "slow",
              description: "",
              execute: async () => {
                runs.push("slow");
                begun.open();
                if (isSlow) await new Promise(() => {});
                return "S";
              },
            }),
          ]),
        )
        .compile({ store });
    const control = new RunControl();
    const run = questionsOf(app().invoke(asking(["quick"], ["slow"]), { checkpointId: "1", control }));
    await begun.opened;
    control.interrupt({ timeoutMs: 0 });
    expect((await run).map(({ info }) => info)).toEqual([{ kind: "requested" }]);
    isSlow = false;
    expect(textsOf(await app().resume("1"))).toEqual(["Q", "S"]);
    expect(runs.sort()).toEqual(["quick", "slow", "slow"]);
  });
});

describe("a message that streams in", () => {
  it("and asks for approval is read once: hooks are not told again, and the call goes on", async () => {
    const store = memoryStore();
    const log: string[] = [];
    let models = 0;
    const chunks = ["{", '"n":1', "}"].map((text, index) =>
      assistantMessage([
        {
          ...functionToolCall({ callId: index === 0 ? "c" : "", name: index === 0 ? "t" : "", arguments: text }),
          streamingMeta: { index: 0 },
        },
      ]),
    );
    const app = () => {
      const tool = createTool({
        id: "t",
        description: "",
        inputSchema: z.object({ n: z.number() }),
        requireApproval: true,
        execute: ({ n }) => `n ${n}`,
        onInputStart: () => void log.push("start"),
        onInputDelta: ({ inputTextDelta }) => void log.push(inputTextDelta),
        onInputAvailable: () => void log.push("available"),
        onOutput: () => void log.push("output"),
      });
      const model = {
        component: "model" as const,
        generate: async () => concatMessages(chunks),
        async *stream() {
          models += 1;
          yield* chunks;
        },
      };
      return new Chain<AgenticMessage[]>()
        .appendModel(model)
        .appendToolsNode(new AgenticToolsNode([tool]))
        .compile({ store });
    };
    const questions = await questionsOf(joined(app().stream([], { checkpointId: "1" })));
    const answers = { [idOf(questions)]: { approved: true } };
    expect(textsOf(await joined(app().resumeStream("1", answers)))).toEqual(["n 1"]);
    expect(models).toBe(1);
    expect(log.filter((entry) => entry !== "available")).toEqual(["start", "{", '"n":1', "}", "output"]);
  });

  it("never blocks the node when nobody reads on: leaving stops the model", async () => {
    let isClosed = false;
    async function* endless() {
      try {
        for (let index = 0; ; index += 1) {
          yield assistantMessage([
            { ...functionToolCall({ callId: `${index}`, name: "t", arguments: "{}" }), streamingMeta: { index } },
          ]);
          await ticks(1);
        }
      } finally {
        isClosed = true;
      }
    }
    const tool = createTool({ id: "t", description: "", execute: () => "x", onInputStart: () => {} });
    const stream = new AgenticToolsNode([tool]).transform(endless());
    const read = stream[Symbol.asyncIterator]().next();
    await ticks(3);
    await stream.cancel();
    await rejectionOf(read.then((result) => (result.done === true ? Promise.reject(new Error("ended")) : result)));
    await ticks(5);
    expect(isClosed).toBe(true);
  });

  it("is refused when a piece is no message, and the tools do not run", async () => {
    let runs = 0;
    const tool = createTool({ id: "t", description: "", execute: () => `${++runs}`, onInputStart: () => {} });
    const pieces = [asking(["t"]), 7 as unknown as AgenticMessage];
    const error = await rejectionOf(joined(new AgenticToolsNode([tool]).transform(StreamReader.from(pieces))));
    expect(error).toBeInstanceOf(Error);
    expect(runs).toBe(0);
  });
});

describe("many", () => {
  it("turns of a loop, each with the same call ids, keep their own results", async () => {
    const tool = createTool({
      id: "count",
      description: "",
      inputSchema: z.object({ n: z.number() }),
      execute: ({ n }) => `${n}`,
    });
    const loop = new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("tools", new AgenticToolsNode([tool]))
      .addNode("again", (results: AgenticMessage[]) =>
        asking(["count", { n: Number(textsOf(results)[0]) + 1 }, "same"]),
      )
      .addEdge(START, "tools")
      .addBranch("tools", ["again", END], (results) => (Number(textsOf(results)[0]) < 50 ? "again" : END))
      .addEdge("again", "tools")
      .compile({ maxSteps: 200, store: memoryStore(), durability: "step" });
    const results = await loop.invoke(asking(["count", { n: 0 }, "same"]), { checkpointId: "1" });
    expect(blocksOf(results)).toMatchObject([{ callId: "same", result: "50" }]);
  });

  it("runs of one node at once do not mix", async () => {
    const tool = createTool({
      id: "who",
      description: "",
      execute: async (_input, ctx) => {
        await ticks(1);
        return `${ctx.requestContext.get("user")} ${ctx.toolCallId}`;
      },
    });
    const node = new AgenticToolsNode({ tools: [tool], timeoutMs: 10_000, maxConcurrency: 2 });
    const message = asking(["who"], ["who"], ["who"]);
    const users = Array.from({ length: 50 }, (_, index) => `u${index}`);
    const all = await Promise.all(users.map((user) => node.invoke(message, { requestContext: { user } })));
    expect(all.map(textsOf)).toEqual(users.map((user) => [`${user} 1`, `${user} 2`, `${user} 3`]));
  });
});
