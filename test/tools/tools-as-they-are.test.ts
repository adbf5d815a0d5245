import { toolDefinition } from "@tanstack/ai";
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  functionToolCall,
  memoryStore,
  userMessage,
} from "kumiko";
import type { AnyTool } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { questionOf } from "../checkpoint/interrupt-of.js";
import {
  blocksOf,
  call,
  calls,
  deferred,
  kindsOf,
  rejection,
  settled,
  textsOf,
  tool,
  toolError,
} from "./node/calls.js";

/** What is marked as a tool of Mastra. The real ones are in test/mastra. */
const mastraShape = (fields: object) =>
  ({ description: "", ...fields, [Symbol.for("mastra.core.tool.Tool")]: true }) as object as AnyTool;

const run = { checkpointId: "run" };
const appOf = (given: AnyTool, store = memoryStore()) =>
  new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([given])).compile({ name: "app", store });

describe("an unknown tool", () => {
  it("is told with the 20 tools that are called most like it", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `tool_${index}`);
    const node = new AgenticToolsNode([...names, "get_weather"].map((name) => tool(name, () => "")));
    const { message } = await toolError(node.invoke(calls(call("get_whether"))));
    const named = [...message.matchAll(/"(tool_\d+|get_weather)"/g)].map(([, name]) => name);
    expect(named).toHaveLength(20);
    expect(named[0]).toBe("get_weather");
    expect(message).toContain("and 281 more");
  });

  it("is told in a bounded message, however long its name and those of others are", async () => {
    const long = (letter: string) => letter.repeat(100_000);
    const node = new AgenticToolsNode([tool(long("a"), () => ""), tool(long("b"), () => "")]);
    const { message, toolName } = await toolError(node.invoke(calls(call(long("c"), {}, long("d")))));
    expect(message.length).toBeLessThan(2_000);
    expect(toolName).toHaveLength(100_000);
  });
});

describe("a plain generator in a record", () => {
  it.each([
    ["a plain JSON Schema", { type: "object" }],
    ["a map of parameters", { city: { type: "string" } }],
  ])("keeps all its chunks: %s", async (_name, inputSchema) => {
    const tail = {
      inputSchema,
      execute: async function* () {
        yield "a";
        yield "b";
      },
    };
    const node = new AgenticToolsNode({ tools: { tail } });
    expect(textsOf(await node.invoke(calls(call("tail"))))).toEqual(["ab"]);
    expect(textsOf(await node.stream(calls(call("tail"))).concat())).toEqual(["ab"]);
  });
});

describe("a Mastra tool", () => {
  const said = (name: string) => ({
    error: true,
    message: `${name} validation failed for t.\n- n: too big\n\nReturned output: {"n":3}`,
    validationErrors: { errors: [], fields: {} },
  });
  it.each([
    ["an input that it refuses", said("Tool input"), "validation"],
    ["an output that it refuses", said("Tool output"), "output_validation"],
    ["an error of its own", { error: true, message: "no such city" }, "execution"],
  ])("tells the model of %s, and fails nothing", async (_what, output, errorKind) => {
    const node = new AgenticToolsNode([mastraShape({ id: "t", execute: async () => output })]);
    const [block] = blocksOf(await node.invoke(calls(call("t"))));
    expect(block).toMatchObject({ isError: true, errorKind, result: output.message });
  });

  it.each(["warn", "off"])('gives an output that it refuses with outputValidation "%s"', async (outputValidation) => {
    const given = mastraShape({ id: "t", execute: async () => said("Tool output"), outputValidation });
    expect(textsOf(await new AgenticToolsNode([given]).invoke(calls(call("t"))))).toEqual(['{"n":3}']);
  });

  it("reads what it was suspended with when it goes on", async () => {
    const seen: unknown[] = [];
    const execute = async (
      _input: unknown,
      ctx: { suspend(p: unknown): unknown; resumeData: unknown; suspendPayload: unknown },
    ) => {
      seen.push(ctx.suspendPayload);
      return ctx.resumeData === undefined ? ctx.suspend({ asked: "how?" }) : "done";
    };
    const app = appOf(mastraShape({ id: "t", execute }));
    const { id } = await questionOf(app.invoke(calls(call("t")), run));
    await app.resume("run", { [id]: { answer: 1 } });
    expect(seen).toEqual([undefined, { asked: "how?" }]);
  });
});

describe("a TanStack tool with an approvalSchema", () => {
  const paid: string[] = [];
  const pay = (approvalSchema: object) =>
    toolDefinition({
      name: "pay",
      description: "",
      inputSchema: z.object({}),
      needsApproval: true,
      approvalSchema: approvalSchema as never,
    }).server(async () => void paid.push("paid"));
  const byDecision = {
    approve: z.object({ signature: z.string().refine((text) => text === "Ada", "must be signed by Ada") }),
    reject: z.object({ why: z.string() }),
  };
  const asked = async (approvalSchema: object) => {
    paid.length = 0;
    const app = appOf(pay(approvalSchema) as AnyTool);
    const question = await questionOf(app.invoke(calls(call("pay")), run));
    return { question, answer: (given: unknown) => app.resume("run", { [question.id]: given }) };
  };

  it("takes only answers that bring what it wants", async () => {
    const { answer } = await asked(byDecision);
    for (const wrong of [
      { approved: true },
      { approved: true, payload: { why: "x" } },
      { approved: false, payload: {} },
    ]) {
      expect(await rejection(answer(wrong))).toMatchObject({ code: "ANSWER_MISMATCH" });
    }
    expect(((await rejection(answer({ approved: true, payload: { signature: "Bo" } }))) as Error).message).toContain(
      "must be signed by Ada",
    );
    expect(paid).toEqual([]);
    await answer({ approved: true, payload: { signature: "Ada" } });
    expect(paid).toEqual(["paid"]);
  });

  it("tells the model what a rejection brings", async () => {
    const { answer } = await asked(byDecision);
    const results = await answer({ approved: false, payload: { why: "too dear" } });
    expect(kindsOf(results)).toEqual(["denied"]);
    expect(textsOf(results)[0]).toContain("too dear");
    expect(paid).toEqual([]);
  });

  it("may have one for both decisions, or for one of them, as a plain JSON Schema too", async () => {
    const note = { type: "object", properties: { note: { type: "string" } }, required: ["note"] };
    const both = await asked(note);
    expect(await rejection(both.answer({ approved: false }))).toMatchObject({ code: "ANSWER_MISMATCH" });
    await both.answer({ approved: true, payload: { note: "ok" } });
    const one = await asked({ reject: note });
    expect(await rejection(one.answer({ approved: true, payload: { note: "x" } }))).toMatchObject({
      code: "ANSWER_MISMATCH",
    });
    await one.answer({ approved: true });
    expect(paid).toEqual(["paid"]);
  });
});

it("many calls that listen to the signal print no warning", async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on("warning", warn);
  const stop = new AbortController();
  const gate = deferred();
  let aborted = 0;
  const listening = createTool({
    id: "listening",
    description: "",
    execute: async (_input, { signal }) => {
      signal.addEventListener("abort", () => void aborted++);
      await gate.promise;
    },
  });
  const many = calls(...Array.from({ length: 40 }, (_, index) => call("listening", {}, String(index))));
  const running = rejection(new AgenticToolsNode([listening]).invoke(many, { signal: stop.signal }));
  await settled();
  stop.abort("enough");
  expect(await running).toBe("enough");
  gate.resolve();
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("warning", warn);
  expect(aborted).toBe(40);
  expect(warnings).toEqual([]);
});

describe("coerceArguments", () => {
  const inputSchema = {
    type: "object",
    properties: { n: { type: "number" }, list: { type: "array", items: { type: "number" } } },
  };
  const echo = createTool({ id: "echo", description: "", inputSchema, execute: (input) => input });
  const node = new AgenticToolsNode({ tools: [echo], coerceArguments: true, onToolError: "result" });

  it.each(["9007199254740993", "0.1000000000000000055511151231257827", "1e400", "-123456789012345678901"])(
    "never makes another number of %s",
    async (text) => {
      const results = await node.invoke(
        calls(call("echo", { n: text }, "1"), call("echo", { list: `[${text}]` }, "2")),
      );
      expect(kindsOf(results)).toEqual(["validation", "validation"]);
    },
  );

  it.each(["1", "-0.5", "1.50e2", "9007199254740991", "1e21", "5e-324", "0.1", "120"])("reads %s", async (text) => {
    const results = await node.invoke(calls(call("echo", { n: text }, "1"), call("echo", { list: `[${text}]` }, "2")));
    expect(textsOf(results)).toEqual([JSON.stringify({ n: Number(text) }), JSON.stringify({ list: [Number(text)] })]);
  });
});

describe("a message of several blocks", () => {
  const one = functionToolCall({ callId: "1", name: "a", arguments: "{}" });
  const two = functionToolCall({ callId: "2", name: "b", arguments: "{}" });
  it("takes them one after another", () => {
    expect(assistantMessage(one, two)).toEqual(assistantMessage([one, two]));
    expect(assistantMessage("Let me see.", one, two).contentBlocks).toHaveLength(3);
    expect(userMessage("a", "b").contentBlocks).toEqual([
      { type: "user_input_text", text: "a" },
      { type: "user_input_text", text: "b" },
    ]);
  });
  it("still takes options", () => {
    expect(assistantMessage(one, { extra: { a: 1 } })).toMatchObject({ contentBlocks: [one], extra: { a: 1 } });
    expect(assistantMessage("x", undefined).contentBlocks).toHaveLength(1);
    expect(assistantMessage([one, two], { responseMeta: {} })).toMatchObject({ responseMeta: {} });
  });
});

describe("a tool that is written by hand", () => {
  it.each([
    ["a plain JSON Schema", { type: "object", properties: { city: { type: "string" } } }],
    ["a map of parameters", { city: { type: "string" } as const }],
    ["a Standard Schema", z.object({ city: z.string() })],
    ["nothing", undefined],
  ])("works with an info without toJsonSchema: %s", async (_name, parameters) => {
    const given: AnyTool = {
      component: "tool",
      info: { name: "where", description: "Says where.", parameters },
      requireApproval: () => true,
      invoke: async (text) => `got ${text}`,
    };
    const node = new AgenticToolsNode([given]);
    expect(node.infos[0]?.toJsonSchema()?.type).toBe(parameters === undefined ? undefined : "object");
    const app = appOf(given);
    const { id } = await questionOf(app.invoke(calls(call("where", { city: "x" })), run));
    expect(textsOf(await app.resume("run", { [id]: { approved: true } }))).toEqual(['got {"city":"x"}']);
  });

  it("may be of a class with private fields, whose info is a getter", async () => {
    class Where {
      readonly component = "tool" as const;
      #city = "深圳";
      get info() {
        return { name: "where", description: "" };
      }
      async invoke() {
        return this.#city;
      }
    }
    expect(textsOf(await new AgenticToolsNode([new Where()]).invoke(calls(call("where"))))).toEqual(["深圳"]);
  });
});
