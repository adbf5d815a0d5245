import {
  type AgenticMessage,
  AgenticToolsNode,
  type AgenticToolsNodeConfig,
  Chain,
  createTool,
  memoryStore,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { interruptOf, questionOf } from "../checkpoint/interrupt-of.js";
import { call, calls, kindsOf, rejection, textsOf } from "./node/calls.js";

const even = z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") });
const run = { checkpointId: "run" };

function appOf(config: AgenticToolsNodeConfig, store = memoryStore()) {
  return new Chain<AgenticMessage>()
    .appendToolsNode(new AgenticToolsNode(config), { key: "tools" })
    .compile({ name: "app", store });
}

const asking = [
  {
    way: "edited arguments of an approval",
    tool: createTool({
      id: "t",
      description: "",
      inputSchema: even,
      requireApproval: true,
      execute: ({ n }) => `ran ${n}`,
    }),
    input: { n: 2 },
    answer: (n: number) => ({ approved: true, arguments: { n } }),
  },
  {
    way: "edited arguments that are no JSON",
    tool: createTool({
      id: "t",
      description: "",
      inputSchema: even,
      requireApproval: true,
      execute: ({ n }) => `ran ${n}`,
    }),
    input: { n: 2 },
    answer: (n: number) => ({ approved: true, arguments: n === 3 ? '{"n": must be even' : `{"n":${n}}` }),
  },
  {
    way: "an answer to ask",
    tool: createTool({
      id: "t",
      description: "",
      execute: async (_input, ctx) => `ran ${(await ctx.ask("k", "?", even)).n}`,
    }),
    input: {},
    answer: (n: number) => ({ n }),
  },
  {
    way: "what a suspended tool is resumed with",
    tool: createTool({
      id: "t",
      description: "",
      resumeSchema: even,
      execute: async (_input, ctx) => (ctx.resumeData === undefined ? ctx.suspend() : `ran ${ctx.resumeData.n}`),
    }),
    input: {},
    answer: (n: number) => ({ n }),
  },
  {
    way: "the result of a client tool",
    tool: createTool({ id: "t", description: "", outputSchema: even }),
    input: {},
    answer: (n: number) => ({ n }),
  },
];

describe.each(asking)("$way that only the code can refuse", ({ tool, input, answer }) => {
  const other = createTool({ id: "other", description: "", requireApproval: true, execute: () => "done" });
  const message = calls(call("t", input, "1"), call("other", {}, "2"));

  describe.each(["throw", "result"] as const)('leaves its question open (onToolError: "%s")', (onToolError) => {
    it.each(["invoke", "stream"] as const)("and says why, and the run goes on with another one (%s)", async (mode) => {
      const app = appOf({ tools: [tool, other], onToolError });
      const { interrupts } = await interruptOf(app.invoke(message, run));
      const idOf = (callId: string) => interrupts.find(({ address }) => address.endsWith(`:${callId}`))?.id ?? "";
      const id = idOf("1");
      const resume = (answers?: Record<string, unknown>) =>
        mode === "invoke" ? app.resume("run", answers) : app.resumeStream("run", answers).concat();
      const refused = await rejection(resume({ [id]: answer(3) }));
      expect((refused as Error).message).toContain("must be even");
      const again = await interruptOf(resume());
      expect(again.interrupts.map((interrupt) => interrupt.id).sort()).toEqual([id, idOf("2")].sort());
      await interruptOf(resume({ [id]: answer(4) }));
      const results = await resume({ [idOf("2")]: { approved: true } });
      expect(textsOf(results).map((text) => text.replace('{"n":4}', "ran 4"))).toEqual(["ran 4", "done"]);
    });
  });
});

it("an answer that a middleware wraps the refusal of stays unused as well", async () => {
  const config: AgenticToolsNodeConfig = {
    tools: [asking[0]?.tool as never],
    onToolError: "result",
    toolCallMiddlewares: [
      {
        invokable: (next) => async (toolCall, ctx) => {
          try {
            return await next(toolCall, ctx);
          } catch (cause) {
            throw new Error("it went wrong", { cause });
          }
        },
      },
    ],
  };
  const app = appOf(config);
  const { id } = await questionOf(app.invoke(calls(call("t", { n: 2 }, "1")), run));
  await rejection(app.resume("run", { [id]: { approved: true, arguments: { n: 3 } } }));
  expect(textsOf(await app.resume("run", { [id]: { approved: true, arguments: { n: 4 } } }))).toEqual(["ran 4"]);
});

describe("a call that was answered when its tool asks no more", () => {
  const paid: string[] = [];
  const pay = (requireApproval: boolean | (() => boolean) | undefined) =>
    createTool({
      id: "pay",
      description: "",
      inputSchema: z.object({ to: z.string().optional() }),
      requireApproval,
      execute: ({ to = "nobody" }) => void paid.push(to),
    });
  const byHand = (needed: boolean | undefined) => ({
    component: "tool" as const,
    info: pay(undefined).info,
    requireApproval: needed,
    invoke: async (text: string) => String(paid.push(text)),
  });

  it.each([
    ["that needs it no longer", () => pay(true), () => pay(undefined)],
    ["whose function says no now", () => pay(true), () => pay(() => false)],
    ["written by hand", () => byHand(true), () => byHand(undefined)],
  ])("does not run when it was declined: one %s", async (_name, before, now) => {
    paid.length = 0;
    const store = memoryStore();
    const { id } = await questionOf(appOf({ tools: [before()] }, store).invoke(calls(call("pay")), run));
    const results = await appOf({ tools: [now()] }, store).resume("run", { [id]: { approved: false, reason: "no" } });
    expect(kindsOf(results)).toEqual(["denied"]);
    expect(textsOf(results)[0]).toContain("no");
    expect(paid).toEqual([]);
  });

  it("runs with the arguments that were edited", async () => {
    paid.length = 0;
    const store = memoryStore();
    const { id } = await questionOf(appOf({ tools: [pay(true)] }, store).invoke(calls(call("pay")), run));
    await appOf({ tools: [pay(undefined)] }, store).resume("run", {
      [id]: { approved: true, arguments: { to: "Ada" } },
    });
    expect(paid).toEqual(["Ada"]);
  });
});
