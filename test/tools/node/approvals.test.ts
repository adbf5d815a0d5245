import {
  AgenticToolsNode,
  type AgenticToolsNodeConfig,
  Chain,
  createTool,
  isInterrupt,
  memoryStore,
  traceRecorder,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { interruptOf, questionOf } from "../../checkpoint/interrupt-of.js";
import { errorOf } from "../../run/rejected-by.js";
import { call, calls } from "./calls.js";

const run = { checkpointId: "run" };

function chainOf(config: AgenticToolsNodeConfig) {
  return new Chain<ReturnType<typeof calls>>()
    .appendToolsNode(new AgenticToolsNode(config), { key: "tools" })
    .compile({ name: "app", store: memoryStore() });
}

function resultsIn(messages: readonly { readonly contentBlocks: readonly unknown[] }[]): unknown[] {
  return messages.map(({ contentBlocks: [block] }) => {
    const { result, isError, errorKind } = block as { result: string; isError?: boolean; errorKind?: string };
    return isError === true ? { errorKind, result } : result;
  });
}

describe("A tool that needs approval", () => {
  const paid: string[] = [];
  const pay = createTool({
    id: "pay",
    description: "Pays.",
    inputSchema: z.object({ to: z.string(), cents: z.number() }),
    requireApproval: true,
    execute: ({ to, cents }) => {
      paid.push(`${to} ${cents}`);
      return `paid ${cents} to ${to}`;
    },
  });
  const look = createTool({
    id: "look",
    description: "Looks.",
    execute: () => {
      paid.push("look");
      return "seen";
    },
  });
  const both = calls(
    call("pay", { to: "Ada", cents: 5 }, "1"),
    call("look", {}, "2"),
    call("pay", { to: "Bo", cents: 7 }, "3"),
  );

  it.each<unknown>([true, "yes", null, 0])(
    "names the form of an answer when it is answered with %j",
    async (answer) => {
      const app = chainOf({ tools: [pay] });
      const { id } = await questionOf(app.invoke(calls(call("pay", { to: "Ada", cents: 5 })), run));
      await expect(app.resume("run", { [id]: answer })).rejects.toMatchObject({
        code: "ANSWER_MISMATCH",
        message: expect.stringContaining(
          `expected { approved: boolean, arguments?: object | string, reason?: string, always?: boolean }, got ${JSON.stringify(answer)}`,
        ),
      });
    },
  );

  it("waits with its validated input, while the others run and are kept; approved, it runs once", async () => {
    paid.length = 0;
    const app = chainOf({ tools: [pay, look] });
    const { interrupts } = await interruptOf(app.invoke(both, run));
    expect(interrupts.map(({ address, info }) => ({ address, info }))).toEqual([
      {
        address: "runnable:app;node:tools;tool:pay:1",
        info: { kind: "tool_approval", toolName: "pay", toolCallId: "1", input: { to: "Ada", cents: 5 } },
      },
      {
        address: "runnable:app;node:tools;tool:pay:3",
        info: { kind: "tool_approval", toolName: "pay", toolCallId: "3", input: { to: "Bo", cents: 7 } },
      },
    ]);
    expect(paid).toEqual(["look"]);
    const [first, second] = interrupts;
    const still = await questionOf(app.resume("run", { [second?.id ?? ""]: { approved: true } }));
    expect(still.id).toBe(first?.id);
    expect(paid).toEqual(["look", "Bo 7"]);
    expect(resultsIn(await app.resume("run", { [still.id]: { approved: true } }))).toEqual([
      "paid 5 to Ada",
      "seen",
      "paid 7 to Bo",
    ]);
    expect(paid).toEqual(["look", "Bo 7", "Ada 5"]);
  });

  it("declined, does not run, and the model reads why", async () => {
    paid.length = 0;
    const app = chainOf({ tools: [pay] });
    const { id } = await questionOf(app.invoke(calls(call("pay", { to: "Ada", cents: 5 }, "1")), run));
    const [result] = resultsIn(await app.resume("run", { [id]: { approved: false, reason: "too much" } }));
    expect(result).toMatchObject({ errorKind: "denied", result: expect.stringContaining("too much") });
    expect(paid).toEqual([]);
  });

  it.each([[{ to: "Cy", cents: 1 }], ['{"to":"Cy","cents":1}']])("runs with edited arguments: %j", async (edited) => {
    paid.length = 0;
    const app = chainOf({ tools: [pay] });
    const { id } = await questionOf(app.invoke(calls(call("pay", { to: "Ada", cents: 5 }, "1")), run));
    await app.resume("run", { [id]: { approved: true, arguments: edited } });
    expect(paid).toEqual(["Cy 1"]);
  });

  it.each([
    ["no object", true],
    ["without approved", { reason: "x" }],
    ["approved is no boolean", { approved: "yes" }],
    ["unknown fields", { approved: true, amount: 3 }],
    ["edited arguments that do not fit", { approved: true, arguments: { to: "Cy" } }],
  ])("refuses an answer, and the question stands: %s", async (_what, answer) => {
    const app = chainOf({ tools: [pay] });
    const { id } = await questionOf(app.invoke(calls(call("pay", { to: "Ada", cents: 5 }, "1")), run));
    expect((await errorOf(app.resume("run", { [id]: answer }))).code).toBe("ANSWER_MISMATCH");
    expect((await questionOf(app.resume("run"))).id).toBe(id);
  });

  it("does not need it where a function of the input says so; that is asked once", async () => {
    let asked = 0;
    const careful = createTool({
      id: "careful",
      description: "Asks for big amounts.",
      inputSchema: z.object({ cents: z.number() }),
      requireApproval: async ({ cents }) => {
        asked++;
        return cents > 10;
      },
      execute: ({ cents }) => `done ${cents}`,
    });
    const app = chainOf({ tools: [careful] });
    const message = calls(call("careful", { cents: 1 }, "1"), call("careful", { cents: 11 }, "2"));
    const { id, address } = await questionOf(app.invoke(message, run));
    expect(address).toContain("careful:2");
    expect(resultsIn(await app.resume("run", { [id]: { approved: true } }))).toEqual(["done 1", "done 11"]);
    expect(asked).toBe(2);
  });

  it("stands inside middlewares and outside callbacks, also for a tool that streams", async () => {
    const log: string[] = [];
    const stream = createTool({
      id: "stream",
      description: "Streams.",
      requireApproval: true,
      execute: async function* () {
        yield "a";
        yield "b";
      },
    });
    const trace = traceRecorder();
    const app = chainOf({
      tools: [stream],
      toolCallMiddlewares: [
        {
          streamable: (next) => (each, ctx) => {
            log.push("middleware");
            return next(each, ctx);
          },
        },
      ],
    });
    const { id } = await questionOf(
      app.stream(calls(call("stream", {}, "1")), { ...run, callbacks: [trace] }).concat(),
    );
    expect(resultsIn(await app.resumeStream("run", { [id]: { approved: true } }).concat())).toEqual(["ab"]);
    expect(log).toEqual(["middleware", "middleware"]);
    const tool = trace.toJSON().runs[0]?.children[0]?.children[0];
    expect(tool).toMatchObject({ name: "stream", interrupt: expect.anything() });
  });
});

describe("A tool that suspends", () => {
  const book = createTool({
    id: "book",
    description: "Books a table.",
    inputSchema: z.object({ people: z.number() }),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ time: z.string() }).transform(({ time }) => ({ time, late: time > "20" })),
    execute: async ({ people }, { suspend, resumeData }) => {
      if (resumeData === undefined) return suspend({ question: `When, for ${people}?` });
      return `${people} at ${resumeData.time}${resumeData.late ? ", late" : ""}`;
    },
  });

  it("shows its payload, and goes on with what it is resumed with", async () => {
    const app = chainOf({ tools: [book] });
    const { id, info, schema } = await questionOf(app.invoke(calls(call("book", { people: 3 }, "1")), run));
    expect(info).toEqual({
      kind: "tool_suspended",
      toolName: "book",
      toolCallId: "1",
      payload: { question: "When, for 3?" },
    });
    expect(schema).toMatchObject({ required: ["time"] });
    expect((await errorOf(app.resume("run", { [id]: { time: 8 } }))).code).toBe("ANSWER_MISMATCH");
    expect(resultsIn(await app.resume("run", { [id]: { time: "21:00" } }))).toEqual(["3 at 21:00, late"]);
  });

  it("fails without an interrupt when its payload does not fit", async () => {
    const wrong = createTool({
      id: "wrong",
      description: "Suspends wrongly.",
      suspendSchema: z.object({ question: z.string() }),
      execute: (_input, { suspend }) => suspend({ question: 1 } as never),
    });
    const app = chainOf({ tools: [wrong], onToolError: "result" });
    const [result] = resultsIn(await app.invoke(calls(call("wrong", {}, "1")), run));
    expect(result).toMatchObject({ errorKind: "validation", result: expect.stringContaining("suspendSchema") });
  });
});

describe("A tool without execute", () => {
  const position = createTool({
    id: "position",
    description: "Where the user is.",
    outputSchema: z.object({ city: z.string() }),
  });

  it("is done by somebody outside, whose answer is its result", async () => {
    const app = chainOf({ tools: [position] });
    const { id, info } = await questionOf(app.invoke(calls(call("position", { exact: true }, "1")), run));
    expect(info).toEqual({ kind: "client_tool", toolName: "position", toolCallId: "1", input: { exact: true } });
    expect((await errorOf(app.resume("run", { [id]: { town: "x" } }))).code).toBe("ANSWER_MISMATCH");
    expect(resultsIn(await app.resume("run", { [id]: { city: "深圳" } }))).toEqual(['{"city":"深圳"}']);
  });

  it("asks for approval first", async () => {
    const asking = createTool({ id: "asking", description: "Asks.", requireApproval: true });
    const app = chainOf({ tools: [asking] });
    const approval = await questionOf(app.invoke(calls(call("asking", {}, "1")), run));
    expect(approval.info).toMatchObject({ kind: "tool_approval" });
    const work = await questionOf(app.resume("run", { [approval.id]: { approved: true } }));
    expect(work.info).toMatchObject({ kind: "client_tool" });
    expect(resultsIn(await app.resume("run", { [work.id]: "done" }))).toEqual(["done"]);
  });

  it("says so to whoever calls its execute by hand", () => {
    expect(() => position.execute({}, undefined as never)).toThrow("a client executes its calls");
  });

  it("leaves its question also without a store", async () => {
    const alone = new AgenticToolsNode([position]);
    const error = await alone.invoke(calls(call("position", {}, "1"))).catch((thrown: unknown) => thrown);
    expect(isInterrupt(error)).toBe(true);
  });
});
