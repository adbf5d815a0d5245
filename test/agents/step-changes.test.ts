import { createTool, memoryStore, textOf, toolResultsOf, userMessage } from "kumiko";
import { type AnyMiddleware, createAgent, createMiddleware, type StepChanges } from "kumiko/agents";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { call, failureOf, weatherTool } from "./agents.js";

const changing = (name: string, changes: StepChanges | (() => StepChanges | undefined)): AnyMiddleware =>
  createMiddleware({ name, beforeStep: () => (typeof changes === "function" ? changes() : changes) });

function toolNamed(id: string, options: { requireApproval?: boolean; ran?: string[] } = {}) {
  const { ran = [], requireApproval = false } = options;
  return createTool({
    id,
    description: id,
    inputSchema: { type: "object" },
    requireApproval,
    execute: () => {
      ran.push(id);
      return `${id} ran`;
    },
  });
}

describe("addInstructions", () => {
  it("come after all others, in the order of middlewares, for one step", async () => {
    const model = scriptedModel([call("1", "get_weather", { city: "Kyoto" })], "Done.");
    let step = 0;
    const agent = createAgent({
      model,
      instructions: "Base.",
      tools: [weatherTool().tool],
      middleware: [
        changing("one", () => (step++ === 0 ? { addInstructions: "One." } : undefined)),
        changing("two", { instructions: "Other base." }),
        changing("three", {
          addInstructions: [{ role: "system", contentBlocks: [{ type: "user_input_text", text: "Three." }] }],
        }),
      ],
    });
    await agent.generate("Go");
    const systems = model.calls.map(({ messages }) => messages.filter(({ role }) => role === "system").map(textOf));
    expect(systems).toEqual([
      ["Other base.", "One.", "Three."],
      ["Other base.", "Three."],
    ]);
  });
});

describe("hideTools", () => {
  const names = (model: ReturnType<typeof scriptedModel>) =>
    model.calls.map(({ options }) => (options.tools ?? []).map(({ name }) => name));

  it("takes tools from what is on offer, whoever chooses what, and a call of them is one of an unknown tool", async () => {
    const ran: string[] = [];
    const tools = ["a", "b", "c"].map((id) => toolNamed(id, { ran }));
    for (const middleware of [
      [changing("hide", { hideTools: ["b"] })],
      [changing("hide", { hideTools: ["b"] }), changing("choose", { tools: ["a", "b", "c"] })],
      [changing("choose", { tools: ["a", "b", "c"] }), changing("hide", { hideTools: ["b"] })],
    ]) {
      const model = scriptedModel([call("1", "b"), call("2", "a")], "Done.");
      const result = await createAgent({ model, tools, middleware, store: memoryStore() }).generate("Go");
      expect(names(model)).toEqual([
        ["a", "c"],
        ["a", "c"],
      ]);
      expect(result.messages.flatMap(toolResultsOf).map(({ errorKind }) => errorKind)).toEqual([
        "unknown_tool",
        undefined,
      ]);
    }
    expect(ran).toEqual(["a", "a", "a"]);
  });

  it("hides for one step only, and the tools of other middlewares too", async () => {
    let step = 0;
    const model = scriptedModel("x", "y");
    const agent = createAgent({
      model,
      tools: [toolNamed("a")],
      store: memoryStore(),
      middleware: [
        createMiddleware({ name: "more", tools: [toolNamed("m")] }),
        changing("hide", () => (step++ === 0 ? { hideTools: ["a", "m"] } : {})),
      ],
    });
    await agent.generate("1", { threadId: "t" });
    await agent.generate("2", { threadId: "t" });
    expect(names(model)).toEqual([[], ["a", "m"]]);
  });

  it("and addInstructions are checked, as are names among tools", async () => {
    for (const wrong of [
      { tools: [toolNamed("b"), "a"] },
      { tools: ["a", 5] },
      { toolChoice: { toolNames: [5] } },
      { hideTools: ["nope"] },
      { hideTools: "a" },
      { hideTools: [1] },
      { addInstructions: 5 },
      { addInstructions: [5] },
    ]) {
      const agent = createAgent({
        model: scriptedModel("x"),
        tools: [toolNamed("a")],
        middleware: [changing("m", wrong as never)],
      });
      expect((await failureOf(agent.generate("Go"))).code, JSON.stringify(wrong)).toMatch(
        /INVALID_OPTION|UNKNOWN_TOOL/,
      );
    }
  });
});

describe("a tool that only beforeStep has given", () => {
  function setting(options: { isGone?: boolean } = {}) {
    const ran: string[] = [];
    const store = memoryStore();
    const seen: string[][] = [];
    const agentOf = (...answers: ScriptEntry[]) => {
      const middleware = createMiddleware({
        name: "late",
        beforeStep(run) {
          seen.push(run.messages.map(textOf));
          if (options.isGone === true && ran.includes("restart")) return undefined;
          return {
            tools: [toolNamed("late_pay", { requireApproval: true, ran }), toolNamed("extra", { ran })],
            addInstructions: "x",
          };
        },
      });
      return createAgent({
        model: scriptedModel(...answers),
        tools: [toolNamed("own", { ran })],
        store,
        middleware: [middleware],
      });
    };
    return { ran, store, agentOf, seen };
  }

  it.each(["generate", "stream"] as const)("runs after a resume by another process, with %s", async (way) => {
    const { ran, agentOf, seen } = setting();
    const waiting = await agentOf([call("1", "late_pay"), call("2", "own"), call("3", "extra")]).generate("Pay", {
      threadId: "t",
    });
    if (waiting.finishReason !== "waiting") return expect.unreachable();
    expect(ran).toEqual(["extra"]);
    const answers = { [waiting.interrupts[0].id]: { approved: true } };
    const other = agentOf("Paid.");
    const done =
      way === "generate"
        ? await other.resume({ threadId: "t" }, answers)
        : await other.resumeStream({ threadId: "t" }, answers).result;
    expect(done.text).toBe("Paid.");
    expect(ran).toEqual(["extra", "late_pay"]);
    // once for the first step, once again on the log before its answer, once for the second step
    expect(seen.map((messages) => messages.length)).toEqual([1, 1, 5]);
    const results = done.messages.flatMap(toolResultsOf).map(({ name, errorKind }) => [name, errorKind]);
    expect(results).toEqual([
      ["late_pay", undefined],
      ["own", "unknown_tool"],
      ["extra", undefined],
    ]);
  });

  it("that is gone leaves the question open", async () => {
    const { ran, agentOf } = setting({ isGone: true });
    const waiting = await agentOf([call("1", "late_pay")]).generate("Pay", { threadId: "t" });
    if (waiting.finishReason !== "waiting") return expect.unreachable();
    const answers = { [waiting.interrupts[0].id]: { approved: true } };
    ran.push("restart");
    expect((await failureOf(agentOf("Paid.").resume({ threadId: "t" }, answers))).code).toBe("UNKNOWN_TOOL");
    ran.length = 0;
    expect((await agentOf("Paid.").resume({ threadId: "t" }, answers)).text).toBe("Paid.");
    expect(ran).toEqual(["late_pay"]);
  });

  it("does not change what a step without it does", async () => {
    const { agentOf, seen } = setting();
    await agentOf("Hello.").generate([userMessage("Hi")]);
    expect(seen).toHaveLength(1);
  });
});
