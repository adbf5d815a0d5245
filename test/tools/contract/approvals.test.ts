import fc from "fast-check";
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  type CompiledGraph,
  createTool,
  END,
  functionToolCall,
  Graph,
  type Interrupt,
  type InterruptError,
  isInterrupt,
  memoryStore,
  START,
  type ToolError,
  toolCallsOr,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, joined, noting, readAll, rejectionOf, textsOf } from "./asking.js";

type App = CompiledGraph<AgenticMessage, AgenticMessage[]>;

async function questionsOf(run: Promise<unknown>): Promise<Interrupt[]> {
  const error = await rejectionOf(run);
  if (!isInterrupt(error)) throw error;
  return [...(error as InterruptError).interrupts];
}

/** Tools that count their runs, and a way to make the same app again, as a new process would. */
function bank(more: object = {}) {
  const store = memoryStore();
  const runs: string[] = [];
  const app = (): App => {
    const node = new AgenticToolsNode({
      tools: [
        createTool({
          id: "pay",
          description: "",
          inputSchema: z.object({ euros: z.number().max(100) }),
          requireApproval: true,
          execute: ({ euros }, { toolCallId }) => {
            runs.push(`pay ${toolCallId}`);
            return `paid ${euros}`;
          },
        }),
        createTool({
          id: "look",
          description: "",
          execute: (_input, { toolCallId }) => {
            runs.push(`look ${toolCallId}`);
            return `seen ${toolCallId}`;
          },
        }),
        createTool({
          id: "drip",
          description: "",
          execute: async function* (_input, { toolCallId }) {
            runs.push(`drip ${toolCallId}`);
            yield "a";
            yield "b";
          },
        }),
        createTool({
          id: "survey",
          description: "",
          suspendSchema: z.object({ question: z.string() }),
          resumeSchema: z.object({ answer: z.string() }),
          execute: async (_input, ctx) => {
            runs.push(`survey ${ctx.toolCallId}`);
            if (ctx.resumeData === undefined) return await ctx.suspend({ question: "how?" });
            return `said ${ctx.resumeData.answer}`;
          },
        }),
        createTool({
          id: "locate",
          description: "",
          inputSchema: z.object({ of: z.string() }),
          outputSchema: z.object({ lat: z.number() }),
        }),
      ],
      ...more,
    });
    return new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("tools", node)
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile({ name: "bank", store });
  };
  return { app, runs, store };
}

const inputOf = (question: Interrupt | undefined): unknown =>
  (question?.info as { input?: unknown } | undefined)?.input;
const byCall = (questions: readonly Interrupt[], callId: string): string => {
  const found = questions.find(({ info }) => (info as { toolCallId?: string }).toolCallId === callId);
  if (found === undefined) throw new Error(`no question of call ${callId}`);
  return found.id;
};

describe("approval", () => {
  it("is one question per call, with tool, call, validated input and schema; the others run and are kept", async () => {
    const { app, runs } = bank();
    const message = asking(
      ["pay", { euros: 5 }, "p1"],
      ["look", {}, "l"],
      ["pay", { euros: 6 }, "p2"],
      ["drip", {}, "d"],
    );
    const questions = await questionsOf(app().invoke(message, { checkpointId: "1" }));
    expect(questions.map(({ info }) => info)).toEqual([
      { kind: "tool_approval", toolName: "pay", toolCallId: "p1", input: { euros: 5 } },
      { kind: "tool_approval", toolName: "pay", toolCallId: "p2", input: { euros: 6 } },
    ]);
    expect(questions.map(({ address }) => address)).toEqual([
      "runnable:bank;node:tools;tool:pay:p1",
      "runnable:bank;node:tools;tool:pay:p2",
    ]);
    expect(questions.every(({ schema }) => typeof schema === "object")).toBe(true);
    expect(runs.sort()).toEqual(["drip d", "look l"]);
    const results = await app().resume("1", {
      [byCall(questions, "p1")]: { approved: true },
      [byCall(questions, "p2")]: { approved: false, reason: "too much" },
    });
    const blocks = blocksOf(results);
    expect(blocks.map(({ callId }) => callId)).toEqual(["p1", "l", "p2", "d"]);
    expect(blocks.map(({ result }) => result)).toMatchObject([
      "paid 5",
      "seen l",
      expect.stringContaining("too much"),
      "ab",
    ]);
    expect(blocks[2]).toMatchObject({ isError: true, errorKind: "denied" });
    expect(runs.sort()).toEqual(["drip d", "look l", "pay p1"]);
  });

  it("may be given for any subset, in any order, in invoke and stream, by a new graph object each time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(["p1", "p2", "p3"], { minLength: 3 }),
        fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        fc.boolean(),
        async (order, verdicts, streams, together) => {
          const { app, runs } = bank();
          const message = asking(
            ["pay", { euros: 1 }, "p1"],
            ["look", {}, "l"],
            ["pay", { euros: 2 }, "p2"],
            ["pay", { euros: 3 }, "p3"],
          );
          const first = app();
          let questions = await questionsOf(
            streams[3] === true
              ? readAll(first.stream(message, { checkpointId: "x" }))
              : first.invoke(message, { checkpointId: "x" }),
          );
          const ids = new Map(["p1", "p2", "p3"].map((callId) => [callId, byCall(questions, callId)]));
          const turns = together ? [order.slice(0, 2), order.slice(2)] : order.map((callId) => [callId]);
          let results: AgenticMessage[] = [];
          for (const [turn, calls] of turns.entries()) {
            const answers = Object.fromEntries(
              calls.map((callId) => [ids.get(callId), { approved: verdicts[Number(callId[1]) - 1] }]),
            );
            const run = streams[turn] === true ? joined(app().resumeStream("x", answers)) : app().resume("x", answers);
            if (turn === turns.length - 1) results = await run;
            else {
              questions = await questionsOf(run);
              for (const { id, info } of questions)
                expect(id).toBe(ids.get((info as { toolCallId: string }).toolCallId));
            }
          }
          expect(blocksOf(results).map(({ callId, isError }) => [callId, isError ?? false])).toEqual([
            ["p1", !verdicts[0]],
            ["l", false],
            ["p2", !verdicts[1]],
            ["p3", !verdicts[2]],
          ]);
          expect(runs.filter((run) => run === "look l")).toHaveLength(1);
          expect(runs.filter((run) => run.startsWith("pay")).sort()).toEqual(
            ["p1", "p2", "p3"].filter((_, index) => verdicts[index]).map((callId) => `pay ${callId}`),
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  it("with edited arguments: an object or JSON text, validated like the model's", async () => {
    for (const edited of [{ euros: 7 }, '{"euros":7}']) {
      const { app } = bank();
      const [question] = await questionsOf(app().invoke(asking(["pay", { euros: 5 }]), { checkpointId: "1" }));
      const id = question?.id ?? "";
      expect(textsOf(await app().resume("1", { [id]: { approved: true, arguments: edited } }))).toEqual(["paid 7"]);
    }
  });

  it.each([[{ euros: 1000 }], [{ euros: "x" }], ["{"], [[1]], [7], [null]])(
    "with edited arguments that do not fit (%j) never runs the tool, and leaves no call without a result",
    async (edited) => {
      const { app, runs } = bank({ onToolError: "result" });
      const [question] = await questionsOf(app().invoke(asking(["pay", { euros: 5 }]), { checkpointId: "1" }));
      const id = question?.id ?? "";
      const outcome = await app()
        .resume("1", { [id]: { approved: true, arguments: edited } })
        .catch((error: unknown) => error);
      if (Array.isArray(outcome)) expect(blocksOf(outcome)[0]).toMatchObject({ isError: true });
      else expect(outcome).toMatchObject({ name: expect.stringMatching(/KumikoError|ToolError/) });
      expect(runs).toEqual([]);
    },
  );

  it.each([
    [true],
    ["yes"],
    [{}],
    [{ approved: "true" }],
    [{ approved: 1 }],
    [null],
    [undefined],
    [[]],
    [{ approved: true, extra: 1 }],
  ])("refuses the answer %j, and the question stands", async (answer) => {
    const { app, runs } = bank();
    const [question] = await questionsOf(app().invoke(asking(["pay", { euros: 5 }]), { checkpointId: "1" }));
    const id = question?.id ?? "";
    expect(isInterrupt(await rejectionOf(app().resume("1", { [id]: answer })))).toBe(false);
    expect(runs).toEqual([]);
    expect(textsOf(await app().resume("1", { [id]: { approved: true } }))).toEqual(["paid 5"]);
  });

  it("with edited arguments that only the code can refuse: the question stands, and may be answered again", async () => {
    const store = memoryStore();
    const app = () =>
      new Chain<AgenticMessage>()
        .appendToolsNode(
          new AgenticToolsNode([
            createTool({
              id: "pay",
              description: "",
              inputSchema: z.object({ n: z.number().refine((n) => n % 2 === 0, "even only") }),
              requireApproval: true,
              execute: ({ n }) => `${n}`,
            }),
          ]),
        )
        .compile({ store });
    const questions = await questionsOf(
      app().invoke(asking(["pay", { n: 2 }], ["pay", { n: 4 }]), { checkpointId: "1" }),
    );
    const [one = "", two = ""] = questions.map(({ id }) => id);
    const misfit = app().resume("1", { [one]: { approved: true, arguments: { n: 3 } } });
    expect(await rejectionOf(misfit)).toMatchObject({ kind: "validation", callId: "1" });
    const rest = await questionsOf(app().resume("1", { [two]: { approved: true } }));
    expect(rest.map(({ id }) => id)).toEqual([one]);
    expect(textsOf(await app().resume("1", { [one]: { approved: true, arguments: { n: 6 } } }))).toEqual(["6", "4"]);
  });

  it("a question of a tool that gets an answer which only the code can refuse stands, whatever the model is told of errors", async () => {
    const store = memoryStore();
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0, "even only") });
    const pick = createTool({
      id: "pick",
      description: "",
      execute: async (_input, ctx) => `picked ${(await ctx.ask("which", "An even one?", even)).n}`,
    });
    const app = () =>
      new Chain<AgenticMessage>()
        .appendToolsNode(new AgenticToolsNode({ tools: [pick], onToolError: "result" }))
        .compile({ store });
    const [question] = await questionsOf(app().invoke(asking(["pick", {}]), { checkpointId: "1" }));
    const id = question?.id ?? "";
    const refused = await rejectionOf(app().resume("1", { [id]: { n: 3 } }));
    expect(refused).toMatchObject({ message: expect.stringContaining("even only") });
    const again = await questionsOf(app().resume("1"));
    expect(again.map((one) => one.id)).toEqual([id]);
    expect(textsOf(await app().resume("1", { [id]: { n: 4 } }))).toEqual(["picked 4"]);
  });

  it("by a predicate on the validated input asks only when it says so; a failing predicate asks or fails, but never runs", async () => {
    let ran = 0;
    const seen: unknown[] = [];
    const tool = createTool({
      id: "pay",
      description: "",
      inputSchema: z.object({ euros: z.number().default(50) }),
      requireApproval: async (input, ctx) => {
        seen.push([input, ctx.toolCallId]);
        if (input.euros === 13) throw new Error("predicate");
        return input.euros > 10;
      },
      execute: () => `${++ran}`,
    });
    const node = new AgenticToolsNode([tool]);
    expect(textsOf(await node.invoke(asking(["pay", { euros: 1 }])))).toEqual(["1"]);
    expect(await questionsOf(node.invoke(asking(["pay", {}])))).toMatchObject([{ info: { input: { euros: 50 } } }]);
    await rejectionOf(node.invoke(asking(["pay", { euros: 13 }])));
    expect(ran).toBe(1);
    expect(seen).toEqual([
      [{ euros: 1 }, "1"],
      [{ euros: 50 }, "1"],
      [{ euros: 13 }, "1"],
    ]);
  });

  it("is requireApproval on tools of this package, and on plain tools also the name of the AI SDK", async () => {
    const node = new AgenticToolsNode({
      tools: {
        ours: createTool({ id: "x", description: "", requireApproval: true, execute: () => "ran" }),
        plain: { description: "", needsApproval: true, execute: () => "ran" },
        plain2: { description: "", requireApproval: () => true, execute: () => "ran" },
      },
    });
    expect(await questionsOf(node.invoke(asking(["ours"], ["plain"], ["plain2"])))).toHaveLength(3);
  });

  it("does not count towards timeoutMs", async () => {
    const { app } = bank({ timeoutMs: 25 });
    const [question] = await questionsOf(app().invoke(asking(["pay", { euros: 5 }]), { checkpointId: "1" }));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(textsOf(await app().resume("1", { [question?.id ?? ""]: { approved: true } }))).toEqual(["paid 5"]);
  });

  it("in a sequence stops the following calls; they run after the resume, in order", async () => {
    const { app, runs } = bank({ executeSequentially: true });
    const message = asking(
      ["look", {}, "a"],
      ["pay", { euros: 1 }, "b"],
      ["look", {}, "c"],
      ["pay", { euros: 2 }, "d"],
      ["look", {}, "e"],
    );
    const [first, ...none] = await questionsOf(app().invoke(message, { checkpointId: "1" }));
    expect([runs, none]).toEqual([["look a"], []]);
    const [second] = await questionsOf(app().resume("1", { [first?.id ?? ""]: { approved: true } }));
    expect(runs).toEqual(["look a", "pay b", "look c"]);
    const results = await app().resume("1", { [second?.id ?? ""]: { approved: false } });
    expect(runs).toEqual(["look a", "pay b", "look c", "look e"]);
    expect(blocksOf(results).map(({ callId, errorKind }) => [callId, errorKind])).toEqual([
      ["a", undefined],
      ["b", undefined],
      ["c", undefined],
      ["d", "denied"],
      ["e", undefined],
    ]);
  });

  it("that was declined is no error of the node, whatever onToolError says; the calls behind it run", async () => {
    for (const onToolError of ["throw", "result", () => "handled"] as const) {
      const { app, runs } = bank({ executeSequentially: true, onToolError });
      const message = asking(["pay", { euros: 1 }], ["look", {}, "l"]);
      const [question] = await questionsOf(joined(app().stream(message, { checkpointId: "1" })));
      const results = await joined(app().resumeStream("1", { [question?.id ?? ""]: { approved: false } }));
      expect(blocksOf(results)).toMatchObject([{ isError: true, errorKind: "denied" }, { result: "seen l" }]);
      expect(runs).toEqual(["look l"]);
    }
  });

  it("a failing sibling wins; what waited keeps its id, and nothing that finished runs again", async () => {
    let broken = true;
    const runs: string[] = [];
    const store = memoryStore();
    const app = () => {
      const node = new AgenticToolsNode([
        createTool({ id: "pay", description: "", requireApproval: true, execute: () => noting(runs, "pay", "paid") }),
        createTool({ id: "look", description: "", execute: () => noting(runs, "look", "seen") }),
        createTool({
          id: "flaky",
          description: "",
          execute: () => {
            runs.push("flaky");
            if (broken) throw new Error("down");
            return "up";
          },
        }),
      ]);
      return new Chain<AgenticMessage>().appendToolsNode(node).compile({ store });
    };
    const message = asking(["pay"], ["look"], ["flaky"]);
    const error = await rejectionOf(app().invoke(message, { checkpointId: "1" }));
    expect(error).toMatchObject({ kind: "execution", callId: "3" });
    expect(blocksOf((error as ToolError).results ?? [])).toHaveLength(3);
    broken = false;
    const [question] = await questionsOf(app().resume("1"));
    expect(textsOf(await app().resume("1", { [question?.id ?? ""]: { approved: true } }))).toEqual([
      "paid",
      "seen",
      "up",
    ]);
    expect(runs.sort()).toEqual(["flaky", "flaky", "look", "pay"]);
  });
});

describe("suspension and client tools", () => {
  it("carries the payload out and resumeData in", async () => {
    const { app, runs } = bank();
    const message = asking(["survey", {}, "s"], ["look", {}, "l"]);
    const questions = await questionsOf(app().invoke(message, { checkpointId: "1" }));
    expect(questions.map(({ info }) => info)).toEqual([
      { kind: "tool_suspended", toolName: "survey", toolCallId: "s", payload: { question: "how?" } },
    ]);
    const id = questions[0]?.id ?? "";
    expect(await rejectionOf(app().resume("1", { [id]: { answer: 7 } }))).toMatchObject({ code: "ANSWER_MISMATCH" });
    expect(textsOf(await app().resume("1", { [id]: { answer: "well" } }))).toEqual(["said well", "seen l"]);
    expect(runs.filter((run) => run === "look l")).toHaveLength(1);
  });

  it("whose payload does not fit is a validation error, no interrupt", async () => {
    const tool = createTool({
      id: "s",
      description: "",
      suspendSchema: z.object({ question: z.string() }),
      execute: async (_input, ctx) => await ctx.suspend({ question: 7 } as never),
    });
    expect(await rejectionOf(new AgenticToolsNode([tool]).invoke(asking(["s"])))).toMatchObject({ kind: "validation" });
  });

  it("of a client tool asks for its result, which outputSchema checks", async () => {
    const { app } = bank();
    const [question] = await questionsOf(app().invoke(asking(["locate", { of: "me" }, "c"]), { checkpointId: "1" }));
    expect(question?.info).toEqual({ kind: "client_tool", toolName: "locate", toolCallId: "c", input: { of: "me" } });
    const id = question?.id ?? "";
    const wrong = await rejectionOf(app().resume("1", { [id]: { lat: "x" } }));
    expect(isInterrupt(wrong)).toBe(false);
    expect(textsOf(await app().resume("1", { [id]: { lat: 7 } }))).toEqual(['{"lat":7}']);
  });

  it.each([[false], [0], [""], [null]])("of a client tool may be falsy (%j)", async (answer) => {
    const store = memoryStore();
    const app = new Chain<AgenticMessage>()
      .appendToolsNode(new AgenticToolsNode([createTool({ id: "c", description: "" })]))
      .compile({ store });
    const [question] = await questionsOf(app.invoke(asking(["c"]), { checkpointId: "1" }));
    const [block] = blocksOf(await app.resume("1", { [question?.id ?? ""]: answer }));
    expect(block?.result).toBe(answer === "" ? "" : JSON.stringify(answer));
  });

  it("approval of a client tool comes first", async () => {
    const store = memoryStore();
    const app = () =>
      new Chain<AgenticMessage>()
        .appendToolsNode(new AgenticToolsNode([createTool({ id: "c", description: "", requireApproval: true })]))
        .compile({ store });
    const [approval] = await questionsOf(app().invoke(asking(["c"]), { checkpointId: "1" }));
    expect(approval?.info).toMatchObject({ kind: "tool_approval" });
    const [question] = await questionsOf(app().resume("1", { [approval?.id ?? ""]: { approved: true } }));
    expect(question?.info).toMatchObject({ kind: "client_tool" });
    expect(textsOf(await app().resume("1", { [question?.id ?? ""]: "here" }))).toEqual(["here"]);
  });

  it("after approval may suspend: three stops of one call, each by a new graph object", async () => {
    const store = memoryStore();
    let starts = 0;
    const app = () => {
      const tool = createTool({
        id: "t",
        description: "",
        requireApproval: true,
        resumeSchema: z.number(),
        execute: async (_input, ctx) => {
          starts += 1;
          const name = await ctx.ask("name", "Who?");
          return `${name} ${ctx.resumeData ?? (await ctx.suspend("n"))}`;
        },
      });
      return new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([tool])).compile({ store });
    };
    let [question] = await questionsOf(app().invoke(asking(["t"]), { checkpointId: "1" }));
    expect(question?.info).toMatchObject({ kind: "tool_approval" });
    [question] = await questionsOf(app().resume("1", { [question?.id ?? ""]: { approved: true } }));
    expect(question?.info).toBe("Who?");
    [question] = await questionsOf(app().resume("1", { [question?.id ?? ""]: "Ada" }));
    expect(question?.info).toMatchObject({ kind: "tool_suspended", payload: "n" });
    expect(textsOf(await app().resume("1", { [question?.id ?? ""]: 7 }))).toEqual(["Ada 7"]);
    expect(starts).toBe(3);
  });

  it("of a generator starts it over, and the new stream has it from the start", async () => {
    const store = memoryStore();
    const tool = createTool({
      id: "g",
      description: "",
      execute: async function* (_input, ctx) {
        yield "one ";
        const answer = await ctx.ask("q", "Which?");
        yield `${answer}`;
      },
    });
    const app = () => new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([tool])).compile({ store });
    const chunks: string[] = [];
    const [question] = await questionsOf(
      (async () => {
        for await (const chunk of app().stream(asking(["g"]), { checkpointId: "1" })) chunks.push(...textsOf(chunk));
      })(),
    );
    expect(chunks).toEqual(["one "]);
    const again = await readAll(app().resumeStream("1", { [question?.id ?? ""]: "two" }));
    expect(again.map((chunk) => textsOf(chunk)[0])).toEqual(["one ", "two"]);
  });
});

/** A model by script: each answer is what it says to the history so far. */
const scripted = (answers: readonly AgenticMessage[]) => ({
  component: "model" as const,
  generate: async (messages: readonly AgenticMessage[]) => {
    const turn = messages.filter(({ role }) => role === "assistant").length;
    return answers[turn] ?? assistantMessage("done");
  },
  async *stream(messages: readonly AgenticMessage[]) {
    yield await this.generate(messages);
  },
});

function agent(answers: readonly AgenticMessage[], tools: AgenticToolsNode, store = memoryStore()) {
  return new Graph<AgenticMessage[], AgenticMessage>()
    .withState(() => ({ history: [] as AgenticMessage[] }))
    .addModelNode("model", scripted(answers), {
      before: (input, state) => {
        state.history.push(...input);
        return [...state.history];
      },
    })
    .addToolsNode("tools", tools, {
      before: (message, state) => {
        state.history.push(message);
        return message;
      },
    })
    .addNode("last", (message: AgenticMessage, ctx) =>
      assistantMessage(
        `${ctx.state.history
          .flatMap(toolResultsOf)
          .map(({ result }) => result)
          .join(",")}|${message.role}`,
      ),
    )
    .addEdge(START, "model")
    .addStreamBranch("model", ["tools", "last"], toolCallsOr("tools", "last"))
    .addEdge("tools", "model")
    .addEdge("last", END)
    .compile({ name: "agent", maxSteps: 30, store });
}

describe("in an agent's loop", () => {
  const call = (callId: string, euros: number) =>
    assistantMessage(functionToolCall({ callId, name: "pay", arguments: JSON.stringify({ euros }) }));

  it.each(["invoke", "stream"] as const)(
    "the same call id in later steps is a new call with a new question (%s)",
    async (mode) => {
      const store = memoryStore();
      const paid: number[] = [];
      const make = () =>
        agent(
          [call("same", 1), call("same", 2), call("same", 3)],
          new AgenticToolsNode([
            createTool({
              id: "pay",
              description: "",
              inputSchema: z.object({ euros: z.number() }),
              requireApproval: true,
              execute: ({ euros }) => {
                paid.push(euros);
                return `paid ${euros}`;
              },
            }),
          ]),
          store,
        );
      const go = async (run: () => Promise<AgenticMessage>) => await run();
      const seen: unknown[] = [];
      let questions = await questionsOf(
        mode === "invoke"
          ? make().invoke([userMessage("q")], { checkpointId: "1" })
          : make()
              .stream([userMessage("q")], { checkpointId: "1" })
              .concat(),
      );
      const ids = new Set<string>();
      for (let turn = 0; turn < 2; turn += 1) {
        seen.push(inputOf(questions[0]));
        ids.add(questions[0]?.id ?? "");
        const answers = { [questions[0]?.id ?? ""]: { approved: true } };
        questions = await questionsOf(
          mode === "invoke" ? make().resume("1", answers) : make().resumeStream("1", answers).concat(),
        );
      }
      seen.push(inputOf(questions[0]));
      ids.add(questions[0]?.id ?? "");
      expect(seen).toEqual([{ euros: 1 }, { euros: 2 }, { euros: 3 }]);
      expect(ids.size).toBe(3);
      const answers = { [questions[0]?.id ?? ""]: { approved: false, reason: "enough" } };
      const end = await go(() =>
        mode === "invoke" ? make().resume("1", answers) : make().resumeStream("1", answers).concat(),
      );
      expect(paid).toEqual([1, 2]);
      expect(JSON.stringify(end)).toMatch(/paid 1,paid 2,.*enough/);
    },
  );

  it("a hand-built loop shows tool-call-approval rows, and T8 finds resumeData in the user's next message", async () => {
    const store = memoryStore();
    const tools = new AgenticToolsNode([
      createTool({
        id: "book",
        description: "",
        inputSchema: z.object({ city: z.string() }),
        requireApproval: true,
        resumeSchema: z.object({ seats: z.number() }),
        execute: async ({ city }, ctx) => {
          const { seats } = ctx.resumeData ?? (await ctx.suspend({ question: "How many seats?" }));
          return `${seats} seats to ${city}`;
        },
      }),
    ]);
    const run = agent(
      [assistantMessage(functionToolCall({ callId: "b", name: "book", arguments: '{"city":"Kyoto"}' }))],
      tools,
      store,
    );
    const rows: unknown[] = [];
    let stop = await questionsOf(run.invoke([userMessage("book")], { checkpointId: "1" }));
    for (const { info } of stop) {
      const { kind, toolCallId, toolName, input } = info as Record<string, unknown>;
      if (kind === "tool_approval")
        rows.push({ type: "tool-call-approval", payload: { toolCallId, toolName, args: input } });
    }
    expect(rows).toEqual([
      { type: "tool-call-approval", payload: { toolCallId: "b", toolName: "book", args: { city: "Kyoto" } } },
    ]);
    stop = await questionsOf(run.resume("1", { [stop[0]?.id ?? ""]: { approved: true } }));
    // the user answers in words; a model fills the schema that came with the question
    expect(stop[0]?.schema).toMatchObject({ type: "object", properties: { seats: { type: "number" } } });
    const extracted = { seats: Number(/\d+/.exec("two, no, 3 please")?.[0]) };
    const end = await run.resume("1", { [stop[0]?.id ?? ""]: extracted });
    expect(JSON.stringify(end)).toContain("3 seats to Kyoto");
  });

  it("in nested graphs the address has every level, and only what waited runs again", async () => {
    const store = memoryStore();
    const runs: string[] = [];
    const make = () => {
      const node = new AgenticToolsNode([
        createTool({
          id: "pay",
          description: "",
          requireApproval: true,
          execute: (_input, ctx) => noting(runs, `pay ${ctx.address}`, "paid"),
        }),
        createTool({ id: "look", description: "", execute: () => noting(runs, "look", "seen") }),
      ]);
      const inner = new Chain<AgenticMessage>()
        .append((message) => noting(runs, "before", message), { key: "before" })
        .appendToolsNode(node, { key: "tools" });
      return new Graph<AgenticMessage, AgenticMessage[]>()
        .addNode("sub", inner)
        .addEdge(START, "sub")
        .addEdge("sub", END)
        .compile({ name: "top", store });
    };
    const [question] = await questionsOf(make().invoke(asking(["pay", {}, "c7"], ["look"]), { checkpointId: "1" }));
    expect(question?.address).toBe("runnable:top;node:sub;node:tools;tool:pay:c7");
    const results = await make().resume("1", { byAddress: { [question?.address ?? ""]: { approved: true } } });
    expect(textsOf(results)).toEqual(["paid", "seen"]);
    expect(runs).toEqual(["before", "look", "pay runnable:top;node:sub;node:tools;tool:pay:c7"]);
  });

  it("a graph inside a tool that asks is resumed inside that tool; its siblings are kept", async () => {
    const store = memoryStore();
    const runs: string[] = [];
    const make = () => {
      const inner = new Chain<string>()
        .append((text) => noting(runs, "first", text), { key: "first" })
        .append(async (text, ctx) => `${text} ${await ctx.ask("q", "What?")}`, { key: "ask" })
        .compile({ name: "inner" });
      const node = new AgenticToolsNode([
        createTool({
          id: "deep",
          description: "",
          execute: (_input, ctx) => noting(runs, "deep", inner.invoke("so", { parent: ctx })),
        }),
        createTool({ id: "look", description: "", execute: () => noting(runs, "look", "seen") }),
      ]);
      return new Chain<AgenticMessage>().appendToolsNode(node).compile({ store });
    };
    const questions = await questionsOf(
      make().invoke(asking(["deep", {}, "a"], ["look"], ["deep", {}, "b"]), { checkpointId: "1" }),
    );
    expect(questions).toHaveLength(2);
    const answers = Object.fromEntries(questions.map(({ id }, index) => [id, `answer ${index}`]));
    expect(textsOf(await make().resume("1", answers))).toEqual(["so answer 0", "seen", "so answer 1"]);
    expect(runs.sort()).toEqual(["deep", "deep", "deep", "deep", "first", "first", "look"]);
  });

  it("hostile call ids and names have addresses of their own", async () => {
    const { app } = bank();
    const ids = ["a;node:x", "a:b", "a", "", "深", "x", "x"];
    const questions = await questionsOf(
      app().invoke(asking(...ids.map((id) => ["pay", { euros: 1 }, id] as const)), { checkpointId: "1" }),
    );
    expect(new Set(questions.map(({ address }) => address)).size).toBe(ids.length);
    const answers = Object.fromEntries(questions.map(({ address }) => [address, { approved: true }]));
    expect(textsOf(await app().resume("1", { byAddress: answers }))).toHaveLength(ids.length);
  });

  it("the message that waits is not changed, and the checkpoint is gone afterwards", async () => {
    const { app, store } = bank();
    const message = asking(["pay", { euros: 5 }, "x"], ["pay", { euros: 6 }, "x"]);
    const copy = structuredClone(message);
    const questions = await questionsOf(app().invoke(message, { checkpointId: "1" }));
    expect(message).toEqual(copy);
    await app().resume("1", Object.fromEntries(questions.map(({ id }) => [id, { approved: true }])));
    expect(await store.get("1")).toBeUndefined();
  });

  it("hears of the question as onInterrupt, not onError, and of the finished call once only", async () => {
    const { app } = bank();
    const log: string[] = [];
    const handler = {
      onStart: (info: { name: string }) => void log.push(`start ${info.name}`),
      onEnd: (info: { name: string }) => void log.push(`end ${info.name}`),
      onError: (info: { name: string }) => void log.push(`error ${info.name}`),
      onInterrupt: (info: { name: string }) => void log.push(`interrupt ${info.name}`),
    };
    const options = { callbacks: [handler] };
    const [question] = await questionsOf(
      app().invoke(asking(["pay", { euros: 5 }], ["look"]), { checkpointId: "1", ...options }),
    );
    expect(log).toContain("interrupt tools");
    expect(log).toContain("interrupt bank");
    expect(log.filter((line) => line.startsWith("error"))).toEqual([]);
    expect(log.filter((line) => line === "end look")).toHaveLength(1);
    log.length = 0;
    await app().resume("1", { [question?.id ?? ""]: { approved: true } }, options);
    expect(log.filter((line) => line.endsWith("look"))).toEqual([]);
    expect(log).toContain("end pay");
    expect(log).toContain("end bank");
  });
});
