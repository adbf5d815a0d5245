import { createTool, type FunctionToolCall, memoryStore, toolResultsOf } from "kumiko";
import { type AgentResult, approvals, type CallRule, createAgent, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { readUiRequest } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, failureOf } from "../agents.js";

const store = () => memoryStore();

function bank(requireApproval = false) {
  const ran: unknown[] = [];
  const pay = createTool({
    id: "pay",
    description: "Pays.",
    inputSchema: z.object({ to: z.string(), amount: z.number() }),
    requireApproval,
    execute: (input) => {
      ran.push(input);
      return "paid";
    },
  });
  return { pay, ran };
}

const payment = (id: string, to: string, amount: number): FunctionToolCall => call(id, "pay", { to, amount });
const answer = (held: AgentResult<unknown>, given: object) => ({ [held.interrupts[0]?.id ?? ""]: given });
const outcomes = (result: AgentResult<unknown>): unknown[] =>
  result.messages.flatMap(toolResultsOf).map(({ errorKind, result: text }) => errorKind ?? text);

describe("rules about calls", () => {
  it("are asked in order, and a deny comes first", async () => {
    const rules: CallRule[] = [
      { tool: "pay", action: "allow", when: ({ amount }) => Number(amount) < 10 },
      { tool: "pay", action: "deny", when: ({ to }) => to === "eve", reason: "Eve is blocked." },
      { tool: "p*", action: "ask" },
    ];
    const { pay, ran } = bank();
    const calls = [payment("1", "ann", 5), payment("2", "eve", 5), payment("3", "ann", 50)];
    const agent = createAgent({
      model: scriptedModel(calls, "done"),
      tools: [pay],
      store: store(),
      middleware: [approvals({ rules })],
    });
    const held = await agent.generate("Pay");
    expect(held.interrupts.map(({ info }) => info)).toMatchObject([{ toolCallId: "3", kind: "tool_approval" }]);
    const result = await agent.resume(held, answer(held, { approved: true, arguments: { to: "ann", amount: 40 } }));
    expect(outcomes(result)).toEqual(["paid", "denied", "paid"]);
    expect(JSON.stringify(result.messages)).toContain("Eve is blocked");
    expect(ran).toEqual([
      { to: "ann", amount: 5 },
      { to: "ann", amount: 40 },
    ]);
  });

  it("overrule the tool, also without a store", async () => {
    const { pay, ran } = bank(true);
    const rules: CallRule[] = [{ tool: "*", action: "allow" }];
    const model = scriptedModel([payment("1", "ann", 5)], "done");
    const agent = createAgent({ model, tools: [pay], middleware: [approvals({ rules })] });
    expect((await agent.generate("Pay")).finishReason).toBe("stop");
    expect(ran).toHaveLength(1);
  });

  it("ask where they fail, whatever comes after them", async () => {
    const fails = (): never => {
      throw new Error("broken");
    };
    for (const action of ["deny", "allow"] as const) {
      const { pay, ran } = bank();
      const rules: CallRule[] = [
        { tool: "pay", action, when: fails },
        { tool: "*", action: "allow" },
      ];
      const model = scriptedModel([payment("1", "ann", 5)], "done");
      const agent = createAgent({ model, tools: [pay], store: store(), middleware: [approvals({ rules })] });
      const held = await agent.generate("Pay");
      expect(held.finishReason).toBe("waiting");
      expect(ran).toEqual([]);
    }
  });

  it("apply after a handoff too", async () => {
    const { pay, ran } = bank();
    const desk = createAgent({
      name: "desk",
      description: "Pays.",
      model: scriptedModel([payment("1", "eve", 5)], "done"),
      tools: [pay],
    });
    const first = createAgent({
      name: "first",
      model: scriptedModel([call("t", "transfer_to_desk")]),
      handoffs: [desk],
      middleware: [approvals({ rules: [{ tool: "p*", action: "deny" }] })],
    });
    expect(outcomes(await first.generate("Pay")).at(-1)).toBe("denied");
    expect(ran).toEqual([]);
  });
});

describe("an answer for always", () => {
  const rules: CallRule[] = [{ tool: "pay", action: "ask", key: ({ to }) => String(to) }];
  function setUp(given: readonly CallRule[] = rules, requireApproval = false) {
    const { pay, ran } = bank(requireApproval);
    const kept = store();
    const make = (...calls: FunctionToolCall[]) =>
      createAgent({
        model: scriptedModel(...calls.flatMap((one) => [[one], "done"])),
        tools: [pay],
        store: kept,
        middleware: [approvals({ rules: given })],
      });
    return { make, ran, kept };
  }

  it("holds for the user and the key, in other threads, until the user is deleted", async () => {
    const { make, ran, kept } = setUp();
    const agent = make(payment("1", "ann", 5), payment("2", "ann", 6));
    const held = await agent.generate("Pay", { threadId: "1", userId: "u" });
    await agent.resume({ threadId: "1" }, answer(held, { approved: true, always: true }), { userId: "u" });
    expect((await agent.generate("Pay", { threadId: "2", userId: "u" })).finishReason).toBe("stop");
    for (const [threadId, userId, to] of [
      ["3", "u", "bob"],
      ["4", "v", "ann"],
    ] as const)
      expect((await make(payment("3", to, 7)).generate("Pay", { threadId, userId })).finishReason).toBe("waiting");
    expect(ran).toHaveLength(2);
    await threads(kept).deleteUser("u");
    expect((await make(payment("6", "ann", 9)).generate("Pay", { threadId: "5", userId: "u" })).finishReason).toBe(
      "waiting",
    );
  });

  it("is kept for a tool that asks itself, and never overrules a deny", async () => {
    const { make, ran, kept } = setUp([], true);
    const agent = make(payment("1", "ann", 5), payment("2", "eve", 6));
    const held = await agent.generate("Pay", { threadId: "1", userId: "u" });
    await agent.resume({ threadId: "1" }, answer(held, { approved: true, always: true }), { userId: "u" });
    expect((await agent.generate("Pay", { threadId: "2", userId: "u" })).finishReason).toBe("stop");
    expect(ran).toHaveLength(2);
    const { pay } = bank(true);
    const strict = createAgent({
      model: scriptedModel([payment("3", "ann", 5)], "done"),
      tools: [pay],
      store: kept,
      middleware: [approvals({ rules: [{ tool: "pay", action: "deny" }] })],
    });
    expect(outcomes(await strict.generate("Pay", { threadId: "3", userId: "u" }))).toEqual(["denied"]);
  });

  it("is a plain yes without a user, and without approvals", async () => {
    const { make, ran } = setUp();
    const agent = make(payment("1", "ann", 5), payment("2", "ann", 6));
    const held = await agent.generate("Pay");
    expect((await agent.resume(held, answer(held, { approved: true, always: true }))).finishReason).toBe("stop");
    expect((await agent.generate("Pay")).finishReason).toBe("waiting");
    expect(ran).toHaveLength(1);
    const { pay } = bank(true);
    const plain = createAgent({ model: scriptedModel([payment("1", "ann", 5)], "done"), tools: [pay], store: store() });
    const asked = await plain.generate("Pay");
    expect((await plain.resume(asked, answer(asked, { approved: true, always: true }))).finishReason).toBe("stop");
    const again = await failureOf(plain.resume(asked, answer(asked, { approved: true, always: "yes" })));
    expect(again.code).toBe("UNKNOWN_CHECKPOINT");
  });

  it("comes from a chat with always: true", () => {
    const request = (always: unknown, approved: boolean) =>
      readUiRequest({
        id: "t",
        always,
        messages: [
          {
            id: "m",
            role: "assistant",
            parts: [{ type: "tool-pay", state: "approval-responded", approval: { id: "a", approved } }],
          },
        ],
      }).answers;
    expect(request(true, true)).toEqual({ a: { approved: true, always: true } });
    expect(request(true, false)).toEqual({ a: { approved: false } });
    expect(request("yes", true)).toEqual({ a: { approved: true } });
  });
});
