import {
  AgenticToolsNode,
  type CreateToolOptions,
  createTool,
  type Handler,
  type ToolContext,
  userMessage,
} from "kumiko";
import { toolContext } from "kumiko/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { call, calls, deferred, rejection, settled, textsOf, tool, toolError } from "./calls.js";

type Shape = z.ZodObject<{ city: z.ZodDefault<z.ZodString> }>;
const inputSchema: Shape = z.object({ city: z.string().default("深圳") });

/** A tool that writes down what its hooks hear. */
function listening(log: unknown[], more: Partial<CreateToolOptions<Shape, undefined, object, false>> = {}) {
  return createTool({
    id: "weather",
    description: "",
    inputSchema,
    execute: ({ city }) => {
      log.push("execute");
      return { city };
    },
    onInputStart: () => log.push("start"),
    onInputDelta: ({ inputTextDelta }) => log.push(inputTextDelta),
    onInputAvailable: ({ input }) => log.push(["input", input]),
    onOutput: ({ output }) => log.push(["output", output]),
    ...more,
  });
}

/** What stands in the console while a test runs. */
function consoleErrors(): unknown[] {
  const errors: unknown[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((error) => errors.push(error));
  onTestFinished(() => spy.mockRestore());
  return errors;
}

describe("hooks of a call whose message is whole", () => {
  it("hear of the valid input, then of the output", async () => {
    const log: unknown[] = [];
    await new AgenticToolsNode([listening(log)]).invoke(calls(call("weather")));
    expect(log).toEqual([["input", { city: "深圳" }], "execute", ["output", { city: "深圳" }]]);
  });

  it("get the call, its messages and its signal", async () => {
    const seen: object[] = [];
    let signal: AbortSignal | undefined;
    const node = new AgenticToolsNode([
      listening([], {
        execute: (_input, ctx) => {
          signal = ctx.abortSignal;
        },
        onInputAvailable: (hook) => seen.push(hook),
        onOutput: (hook) => seen.push(hook),
      }),
    ]);
    const message = calls(call("weather", {}, "c1"));
    await node.invoke(message);
    const common = { toolCallId: "c1", toolName: "weather", messages: [message], abortSignal: signal };
    expect(seen).toEqual([
      { ...common, input: { city: "深圳" } },
      { ...common, output: undefined },
    ]);
    const messages = [userMessage("hello"), message];
    seen.length = 0;
    await node.invoke(message, { options: { toolsNode: { messages } } });
    expect(seen).toMatchObject([{ messages }, { messages }]);
  });

  it("hear of valid input only, and also when another call stops the node", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode([listening(log)]);
    await rejection(
      node.invoke(calls(call("weather", {}, "a"), call("weather", { city: 5 }, "b"), call("weather", "{", "c"))),
    );
    expect(log).toEqual([["input", { city: "深圳" }]]);
  });

  it("hear of no output when the tool fails, gives what does not fit, or is too late", async () => {
    const log: unknown[] = [];
    const onOutput = () => log.push("output");
    const late = deferred<string>();
    const node = new AgenticToolsNode({
      tools: {
        throws: createTool({ id: "a", description: "", onOutput, execute: () => Promise.reject(new Error("no")) }),
        unfit: createTool({ id: "b", description: "", onOutput, outputSchema: z.string(), execute: () => 5 as never }),
        unshown: createTool({
          id: "c",
          description: "",
          onOutput,
          execute: () => 5,
          toModelOutput: () => Promise.reject(new Error("no")),
        }),
        slow: createTool({ id: "d", description: "", onOutput, timeoutMs: 1, execute: () => late.promise }),
      },
      onToolError: "result",
    });
    await node.invoke(calls(call("throws"), call("unfit"), call("unshown"), call("slow")));
    late.resolve("late");
    await settled();
    expect(log).toEqual([]);
  });

  it("hear of the output as its schema has it, and not of what the model reads", async () => {
    const outputs: unknown[] = [];
    const node = new AgenticToolsNode([
      createTool({
        id: "a",
        description: "",
        outputSchema: z.object({ celsius: z.number(), unit: z.string().default("C") }),
        execute: async () => ({ celsius: 20 }),
        toModelOutput: async ({ output }) => `${output.celsius} degrees`,
        onOutput: ({ output }) => outputs.push(`${output.celsius} ${output.unit}`),
      }),
    ]);
    expect(textsOf(await node.invoke(calls(call("a"))))).toEqual(["20 degrees"]);
    expect(outputs).toEqual(["20 C"]);
  });

  it("hear once of the whole output of a tool that streams", async () => {
    const outputs: unknown[] = [];
    const onOutput = ({ output }: { output: unknown }) => outputs.push(output);
    const streaming = (id: string, chunks: readonly unknown[], more: object = {}) =>
      createTool({
        id,
        description: "",
        onOutput,
        execute: async function* () {
          yield* chunks;
        },
        ...more,
      });
    const node = new AgenticToolsNode([
      streaming("text", ["a", "b"]),
      streaming("checked", ["c", "d"], { outputSchema: z.string() }),
      streaming("records", [{ a: 1 }, { b: 2 }], { concat: "record" }),
      streaming("nothing", []),
    ]);
    const message = calls(call("text"), call("checked"), call("records"), call("nothing"));
    const expected = ["ab", "cd", { a: 1, b: 2 }, undefined];
    await node.invoke(message);
    expect(outputs).toEqual(expect.arrayContaining(expected));
    expect(outputs).toHaveLength(4);
    outputs.length = 0;
    await node.stream(message).concat();
    expect(outputs).toEqual(expect.arrayContaining(expected));
    expect(outputs).toHaveLength(4);
  });

  it("never fail a call, and nobody waits for them", async () => {
    const events: unknown[] = [];
    const first = new Error("first");
    const second = new Error("second");
    const node = new AgenticToolsNode([
      listening([], {
        onInputAvailable: () => {
          throw first;
        },
        onOutput: () => Promise.reject(second),
      }),
      createTool({ id: "waits", description: "", execute: () => "ok", onInputAvailable: () => deferred().promise }),
    ]);
    const handler: Handler = { onEvent: (_info, event) => events.push(event) };
    const results = await node.invoke(calls(call("weather", {}, "c1"), call("waits")), { callbacks: [handler] });
    expect(textsOf(results)).toEqual(['{"city":"深圳"}', "ok"]);
    await settled();
    const common = { kind: "hook_error", toolName: "weather", callId: "c1" };
    expect(events).toEqual([
      { ...common, hook: "onInputAvailable", error: first },
      { ...common, hook: "onOutput", error: second },
    ]);
  });

  it("stand in the console with what they threw where no handler listens", async () => {
    const errors = consoleErrors();
    const error = new Error("mine");
    const node = new AgenticToolsNode([listening([], { onOutput: () => Promise.reject(error) })]);
    await node.invoke(calls(call("weather")));
    await node.invoke(calls(call("weather")), { callbacks: [{ onStart: () => undefined }] });
    await settled();
    expect(errors).toMatchObject([{ kind: "hook_error", error }, { error }]);
  });

  it("hear once when a middleware changes the arguments", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [listening(log)],
      toolCallMiddlewares: [
        { invokable: (next) => (call, ctx) => next({ ...call, arguments: '{"city":"广州"}' }, ctx) },
      ],
    });
    await node.invoke(calls(call("weather")));
    expect(log).toEqual([["input", { city: "深圳" }], "execute", ["output", { city: "广州" }]]);
  });

  it("hear of calls without a node", async () => {
    const log: unknown[] = [];
    const alone = listening(log);
    await alone.invoke("{}", toolContext() as ToolContext<never>);
    await rejection(alone.invoke('{"city":5}', toolContext() as ToolContext<never>));
    expect(log).toEqual([["input", { city: "深圳" }], "execute", ["output", { city: "深圳" }]]);
  });

  it("are optional, and must be functions", () => {
    expect(() => tool("none", () => "")).not.toThrow();
    expect(() => listening([], { onOutput: "no" as never })).toThrow("onOutput must be a function");
  });

  it("get the text of raw arguments", async () => {
    const inputs: string[] = [];
    const raw = createTool({
      id: "raw",
      description: "",
      rawArguments: true,
      execute: (text) => text,
      onInputAvailable: ({ input }) => inputs.push(input),
    });
    await new AgenticToolsNode([raw]).invoke(calls(call("raw", "not JSON")));
    expect(inputs).toEqual(["not JSON"]);
  });

  it("hear of no input of a tool that the node does not have", async () => {
    const log: unknown[] = [];
    await toolError(new AgenticToolsNode([listening(log)]).invoke(calls(call("other"))));
    expect(log).toEqual([]);
  });
});
