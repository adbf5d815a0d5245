import { type AgenticMessage, AgenticToolsNode, Chain, createTool, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { questionOf } from "../../checkpoint/interrupt-of.js";
import { errorOf } from "../../run/rejected-by.js";
import { call, calls, kindsOf, textsOf, tool, toolError } from "./calls.js";

const run = { checkpointId: "run" };

describe("arguments", () => {
  it.each(['{"to":"Ada"', "[1]", '"Ada"', "5", "null"])(
    "never become an empty object: the tool does not run, and the calls beside it do: %s",
    async (text) => {
      const ran: string[] = [];
      const node = new AgenticToolsNode({
        tools: [tool("loose", () => ran.push("loose")), tool("beside", () => ran.push("beside"))],
        onToolError: "result",
      });
      const results = await node.invoke(calls(call("loose", text), call("beside")));
      expect(ran).toEqual(["beside"]);
      expect(kindsOf(results)).toEqual([expect.stringMatching(/^(parse|validation)$/), undefined]);
    },
  );

  it("are checked through the references of a plain JSON Schema, which the model gets as it is", async () => {
    const inputSchema = {
      type: "object",
      properties: { from: { $ref: "#/definitions/day" }, to: { $ref: "#/$defs/day" } },
      definitions: { day: { type: "integer" } },
      $defs: { day: { type: "integer" } },
    } as const;
    const node = new AgenticToolsNode([createTool({ id: "book", description: "", inputSchema, execute: () => "ok" })]);
    expect(node.infos[0]?.toJsonSchema()).toEqual(inputSchema);
    const { issues } = await toolError(node.invoke(calls(call("book", { from: "Monday", to: "Friday" }))));
    expect(issues?.map(({ path }) => path)).toEqual([["from"], ["to"]]);
  });
});

describe("results", () => {
  const ring: Record<string, unknown> = { name: "ring" };
  ring.self = ring;
  it.each<[string, unknown, string]>([
    ["a BigInt", { cents: 5n }, '{"cents":"5"}'],
    ["a value in itself", ring, '{"name":"ring","self":"[Circular]"}'],
    ["a date and a set", { at: new Date(0), tags: new Set(["a"]) }, '{"at":"1970-01-01T00:00:00.000Z","tags":["a"]}'],
  ])("that JSON lacks reach the model, and the tool has run once: %s", async (_what, value, text) => {
    let payments = 0;
    const pay = tool("pay", () => {
      payments++;
      return value;
    });
    expect(textsOf(await new AgenticToolsNode([pay]).invoke(calls(call("pay"))))).toEqual([text]);
    expect(payments).toBe(1);
  });
});

describe("approval", () => {
  function payer() {
    const paid: string[] = [];
    const store = memoryStore();
    const tools = [
      createTool({
        id: "pay",
        description: "Pays.",
        inputSchema: z.object({ to: z.string() }),
        requireApproval: true,
        execute: ({ to }) => paid.push(to),
      }),
      createTool({ id: "look", description: "Looks.", execute: () => paid.push("look") }),
    ];
    /** As if in a process of its own: only the store is the same. */
    const open = () =>
      new Chain<AgenticMessage>()
        .appendToolsNode(new AgenticToolsNode({ tools }), { key: "tools" })
        .compile({ name: "app", store });
    return { paid, open };
  }
  const message = calls(call("look", {}, "1"), call("pay", { to: "Ada" }, "2"));

  it("cannot be given for a call that does not wait, and brings no call of its own", async () => {
    const { paid, open } = payer();
    const { id } = await questionOf(open().invoke(message, run));
    const forged = [
      { [id]: { approved: true, input: { to: "Eve" } } },
      { [id]: { approved: true, toolName: "pay", toolCallId: "3" } },
      { "interrupt-of-mine": { approved: true } },
      { byAddress: { "runnable:app;node:tools;tool:pay:3": { approved: true } } },
    ];
    for (const answers of forged) {
      expect((await errorOf(open().resume("run", answers as never))).code).toMatch(
        /^(ANSWER_MISMATCH|UNKNOWN_INTERRUPT)$/,
      );
    }
    expect(paid).toEqual(["look"]);
    await open().resume("run", { [id]: { approved: true } });
    expect(paid).toEqual(["look", "Ada"]);
  });

  it("given to a new node that has only the store runs that call, and no other again", async () => {
    const { paid, open } = payer();
    const { id } = await questionOf(open().invoke(message, run));
    const results = await open().resume("run", { [id]: { approved: true } });
    expect(textsOf(results)).toEqual(["1", "2"]);
    expect(paid).toEqual(["look", "Ada"]);
  });
});
