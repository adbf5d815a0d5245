import fc from "fast-check";
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  createTool,
  functionToolCall,
  functionToolResult,
  toolCallsOf,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { repairToolCalls } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { asking, blocksOf, joined, readAll, rejectionOf, textsOf } from "./asking.js";

const both = (node: AgenticToolsNode, message: AgenticMessage) =>
  [() => node.invoke(message), () => joined(node.stream(message))] as const;
const named = (id: string, run: (name: string) => string = (name) => name) =>
  createTool({ id, description: `The tool ${id}.`, execute: (_input, ctx) => run(`${ctx.toolName}`) });

const hostile = [
  "constructor",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "prototype",
  "search.web",
  "ns/tool:v1",
  "with space",
  "查询天气",
  "📎",
  "a".repeat(64),
  "b".repeat(65),
  "c".repeat(5000),
  "-",
  "0",
  "  padded  ",
  "new\nline",
  "\ud800",
];

describe("names", () => {
  it.each(hostile)("%j has a form that every provider takes, and both forms find the tool", async (id) => {
    const node = new AgenticToolsNode([named(id), named("other")]);
    const [info] = node.infos;
    const modelName = info?.name ?? "";
    expect(modelName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    for (const run of both(node, asking([modelName], [id]))) {
      expect(blocksOf(await run()).map(({ name, result }) => [name, result])).toEqual([
        [modelName, id],
        [id, id],
      ]);
    }
  });

  it("that are valid stay as they are", () => {
    const ids = ["get_weather", "get-weather", "GetWeather2", "constructor", "a".repeat(64)];
    expect(new AgenticToolsNode(ids.map((id) => named(id))).infos.map(({ name }) => name)).toEqual(ids);
  });

  it("are different for different tools, and the same every time", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 80, unit: "binary" }), { maxLength: 8 }),
        (ids) => {
          const names = () => {
            try {
              return new AgenticToolsNode(ids.map((id) => named(id))).infos.map(({ name }) => name);
            } catch (error) {
              // two names whose model-facing forms are equal: refused, never silently one of them
              expect(error).toMatchObject({ name: "KumikoError" });
              return undefined;
            }
          };
          const once = names();
          expect(names()).toEqual(once);
          if (once === undefined) return;
          expect(new Set(once).size).toBe(ids.length);
          for (const name of once) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("that are there twice are refused, also as the form of another", () => {
    expect(() => new AgenticToolsNode([named("a"), named("a")])).toThrow(/"a"/);
    const [dotted] = new AgenticToolsNode([named("a.b")]).infos;
    expect(() => new AgenticToolsNode([named("a.b"), named(dotted?.name ?? "")])).toThrow();
  });

  it("that are empty are refused", () => {
    expect(() => new AgenticToolsNode([named("")])).toThrow(/name|id/);
    expect(() => new AgenticToolsNode({ tools: { "": { execute: () => "x" } } })).toThrow();
  });

  it("in errors, contexts and interrupts are the original; in results and RunInfo as called", async () => {
    const fails = createTool({
      id: "a.b",
      description: "",
      execute: (): string => {
        throw new Error("x");
      },
    });
    const node = new AgenticToolsNode([fails]);
    const [info] = node.infos;
    const names: string[] = [];
    const callbacks = [
      {
        onStart: (run: { name: string; component: string }) => void (run.component === "tool" && names.push(run.name)),
      },
    ];
    const error = await rejectionOf(node.invoke(asking([info?.name ?? ""]), { callbacks }));
    expect(error).toMatchObject({ toolName: "a.b" });
    expect(names).toEqual([info?.name]);
    const client = new AgenticToolsNode([createTool({ id: "a.b", description: "" })]);
    expect(await rejectionOf(client.invoke(asking([info?.name ?? ""])))).toMatchObject({
      interrupts: [{ info: { kind: "client_tool", toolName: "a.b", toolCallId: "1" } }],
    });
  });

  it("of a record are its keys, in its order; mixed tools too", async () => {
    const node = new AgenticToolsNode({
      tools: {
        zeta: named("x"),
        alpha: { description: "plain", execute: () => "plain" },
        constructor: { execute: () => "constructor" },
      },
    });
    expect(node.infos.map(({ name }) => name)).toEqual(["zeta", "alpha", "constructor"]);
    expect(textsOf(await node.invoke(asking(["alpha"], ["constructor"])))).toEqual(["plain", "constructor"]);
    expect(await rejectionOf(node.invoke(asking(["x"])))).toMatchObject({ kind: "unknown_tool" });
  });
});

describe("call ids", () => {
  const who = createTool({ id: "who", description: "", execute: (_input, { toolCallId }) => toolCallId });
  const node = new AgenticToolsNode([who]);

  it("that are there twice are made unique, with an event; tool, result and normalize agree", async () => {
    const message = asking(["who", {}, "x"], ["who", {}, "x"], ["who", {}, "y"], ["who", {}, "x"]);
    for (const mode of ["invoke", "stream"] as const) {
      const events: unknown[] = [];
      const options = { callbacks: [{ onEvent: (_info: unknown, value: unknown) => void events.push(value) }] };
      const blocks = blocksOf(
        mode === "invoke" ? await node.invoke(message, options) : await joined(node.stream(message, options)),
      );
      const ids = blocks.map(({ callId }) => callId);
      expect(new Set(ids).size).toBe(4);
      expect([ids[0], ids[2]]).toEqual(["x", "y"]);
      expect(ids[1]).toMatch(/^x./);
      expect(blocks.map(({ result }) => result)).toEqual(ids);
      expect(toolCallsOf(node.normalize(message)).map(({ callId }) => callId)).toEqual(ids);
      expect(events).toContainEqual(expect.objectContaining({ kind: "duplicate_call_id" }));
    }
  });

  it("that are missing are made, the same for node and normalize", async () => {
    const message = asking(["who", {}, ""], ["who", {}, ""], ["who", {}, "1"]);
    const ids = blocksOf(await node.invoke(message)).map(({ callId }) => callId);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id !== "")).toBe(true);
    expect(ids[2]).toBe("1");
    expect(toolCallsOf(node.normalize(message)).map(({ callId }) => callId)).toEqual(ids);
  });

  it("made unique never meet an id that another call has", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("", "a", "a_1", "a_2", "a-2", "a#2", "a_2_2", "call_1", "call_0", "1", "2"), {
          minLength: 1,
          maxLength: 12,
        }),
        async (ids) => {
          const message = asking(...ids.map((id) => ["who", {}, id] as const));
          const given = blocksOf(await node.invoke(message)).map(({ callId }) => callId);
          expect(new Set(given).size).toBe(ids.length);
          expect(toolCallsOf(node.normalize(message)).map(({ callId }) => callId)).toEqual(given);
          // who came first with an id keeps it
          ids.forEach((id, index) => {
            if (id !== "" && ids.indexOf(id) === index) expect(given[index]).toBe(id);
          });
          expect(node.normalize(node.normalize(message))).toEqual(node.normalize(message));
        },
      ),
      { numRuns: 80 },
    );
  });

  it("of a good message are left alone: normalize gives an equal message", () => {
    const message = asking(["who", {}, "a"], ["who", {}, "b"]);
    expect(node.normalize(message)).toEqual(message);
  });

  it("may be absent in plain JavaScript", async () => {
    const message = {
      role: "assistant",
      contentBlocks: [
        { type: "function_tool_call", name: "who", arguments: "{}" },
        { type: "function_tool_call", name: "who", arguments: undefined },
        { type: "function_tool_call", name: "who", callId: null, arguments: "" },
      ],
    } as unknown as AgenticMessage;
    for (const run of both(node, message)) {
      const ids = blocksOf(await run()).map(({ callId }) => callId);
      expect(new Set(ids).size).toBe(3);
      expect(ids.every((id) => typeof id === "string" && id !== "")).toBe(true);
    }
  });

  it("are the same in results of errors", async () => {
    const message = asking(["who", {}, "x"], ["nope", {}, "x"]);
    const error = await rejectionOf(node.invoke(message));
    expect(blocksOf((error as { results: AgenticMessage[] }).results).map(({ callId }) => callId)).toEqual(
      toolCallsOf(node.normalize(message)).map(({ callId }) => callId),
    );
  });

  it("may be very long or odd", async () => {
    for (const id of ["x".repeat(10_000), "a/b", "a:b;node:c", "a b", "深", "__proto__", "constructor"]) {
      expect(blocksOf(await node.invoke(asking(["who", {}, id])))[0]).toMatchObject({ callId: id, result: id });
    }
  });
});

describe("repairToolCalls", () => {
  const call = (id: string) => functionToolCall({ callId: id, name: "t", arguments: "{}" });
  const result = (id: string) => userMessage([functionToolResult({ callId: id, name: "t", result: "r" })]);

  it("gives calls without a result one, right behind them, and drops results without a call", () => {
    const repaired = repairToolCalls([
      userMessage("q"),
      result("stray"),
      assistantMessage([call("1"), call("2")]),
      result("2"),
      userMessage("next"),
    ]);
    expect(repaired.flatMap(toolCallsOf).map(({ callId }) => callId)).toEqual(["1", "2"]);
    const results = repaired.flatMap(toolResultsOf);
    expect(results.map(({ callId }) => callId).sort()).toEqual(["1", "2"]);
    expect(results.find(({ callId }) => callId === "1")).toMatchObject({ isError: true });
    expect(repaired.at(-1)).toEqual(userMessage("next"));
  });

  it("leaves a good history as it is", async () => {
    const who = createTool({ id: "who", description: "", execute: () => "me" });
    const message = asking(["who"], ["who"]);
    const history = [
      userMessage("q"),
      message,
      ...(await new AgenticToolsNode([who]).invoke(message)),
      assistantMessage("done"),
    ];
    expect(repairToolCalls(history)).toEqual(history);
  });

  it("makes a good history of a run that failed, with error.results", async () => {
    const message = asking(["nope", {}, "x"], ["nope", {}, "x"]);
    const node = new AgenticToolsNode([createTool({ id: "who", description: "", execute: () => "me" })]);
    const error = await rejectionOf(readAll(node.stream(message)));
    const history = [userMessage("q"), node.normalize(message), ...(error as { results: AgenticMessage[] }).results];
    expect(repairToolCalls(history)).toEqual(history);
  });
});
