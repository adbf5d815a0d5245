import { dynamicTool, jsonSchema, tool } from "ai";
import {
  AgenticToolsNode,
  assistantMessage,
  functionToolCall,
  StreamReader,
  ToolError,
  toolResultsOf,
  traceRecorder,
  userMessage,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, message, rejection, resultOf, thrown } from "./caller.js";

const city = z.object({ city: z.string() });

describe("tools of the AI SDK", () => {
  it("a tool() runs as it is, its name is the key", async () => {
    const weather = tool({
      description: "Weather.",
      inputSchema: city,
      execute: async ({ city }) => ({ city, celsius: 21 }),
    });
    const node = new AgenticToolsNode({ tools: { weather } });
    expect(node.infos).toMatchObject([{ name: "weather", description: "Weather." }]);
    expect(await resultOf(node, "weather", { city: "深圳" })).toEqual({
      type: "function_tool_result",
      callId: "call-1",
      name: "weather",
      result: '{"city":"深圳","celsius":21}',
      resultType: "json",
    });
  });

  it("execute gets toolCallId, messages, abortSignal and the values of the request as context", async () => {
    let seen: Record<string, unknown> = {};
    const spy = tool({
      inputSchema: city,
      execute: async (_input, options) => {
        seen = { ...options };
        return "";
      },
    });
    const node = new AgenticToolsNode({ tools: { spy } });
    const history = [userMessage("Hello")];
    await resultOf(
      node,
      "spy",
      { city: "x" },
      {
        requestContext: { user: "u-1" },
        options: { toolsNode: { messages: history } },
      },
    );
    expect(seen.toolCallId).toBe("call-1");
    expect(seen.abortSignal).toBeInstanceOf(AbortSignal);
    expect(seen.messages).toHaveLength(1);
    expect(seen.context).toEqual({ user: "u-1" });
    expect(seen.experimental_context).toEqual({ user: "u-1" });
  });

  it("the options are a plain object of own enumerable properties", async () => {
    let seen: object = {};
    const spy = tool({
      inputSchema: city,
      execute: async (_input, options) => {
        seen = options;
        return "";
      },
    });
    await resultOf(new AgenticToolsNode({ tools: { spy } }), "spy", { city: "x" });
    expect(Object.getPrototypeOf(seen)).toBe(Object.prototype);
    expect(Object.keys(seen)).toEqual(expect.arrayContaining(["toolCallId", "messages", "abortSignal"]));
    expect({ ...seen }).toMatchObject({ toolCallId: "call-1" });
  });

  it("what execute yields is progress, the last of it the result", async () => {
    const search = tool({
      inputSchema: city,
      async *execute({ city }) {
        yield { status: "loading" };
        yield { status: "half" };
        yield { status: "done", city };
      },
    });
    const node = new AgenticToolsNode({ tools: { search } });
    const events: unknown[] = [];
    const { result } = await resultOf(
      node,
      "search",
      { city: "x" },
      {
        callbacks: [{ onEvent: (_info, event) => void events.push(event) }],
      },
    );
    expect(result).toBe('{"status":"done","city":"x"}');
    expect(JSON.stringify(events)).toContain("loading");
    expect(JSON.stringify(events)).toContain("half");
  });

  it("streamed, preliminary values are no part of the result either", async () => {
    const search = tool({
      inputSchema: city,
      async *execute() {
        yield "one";
        yield "two";
      },
    });
    const node = new AgenticToolsNode({ tools: { search } });
    const results = await node.stream(message(call("search", { city: "x" }))).concat();
    expect(results.flatMap(toolResultsOf).map(({ result }) => result)).toEqual(["two"]);
  });

  it("an async function that gives an async iterable is read the same way", async () => {
    async function* values() {
      yield 1;
      yield 2;
    }
    const node = new AgenticToolsNode({ tools: { count: { inputSchema: city, execute: async () => values() } } });
    expect((await resultOf(node, "count", { city: "x" })).result).toBe("2");
  });

  it("an iterable that yields nothing has an empty result", async () => {
    const node = new AgenticToolsNode({
      tools: { none: tool({ inputSchema: city, async *execute(): AsyncGenerator<string> {} }) },
    });
    expect((await resultOf(node, "none", { city: "x" })).result).toBe("");
  });

  it("an iterable that fails after its first value is a failed call, not a preliminary result", async () => {
    const node = new AgenticToolsNode({
      tools: {
        half: tool({
          inputSchema: city,
          async *execute() {
            yield "preliminary";
            throw new Error("the line broke");
          },
        }),
      },
      onToolError: "result",
    });
    const result = await resultOf(node, "half", { city: "x" });
    expect(result).toMatchObject({ isError: true, errorKind: "execution" });
    expect(result.result).toContain("the line broke");
  });

  it("a web stream that it gives is cancelled when the call runs out of time", async () => {
    let cancelled: (reason: unknown) => void = () => {};
    const reason = new Promise((resolve) => {
      cancelled = resolve;
    });
    const silent = {
      inputSchema: city,
      execute: async () => new ReadableStream({ cancel: (given) => cancelled(given) }),
    };
    const node = new AgenticToolsNode({ tools: { silent }, timeoutMs: 15, onToolError: "result" });
    expect(await resultOf(node, "silent", { city: "x" })).toMatchObject({ errorKind: "timeout" });
    expect(await reason).toMatchObject({ name: "TimeoutError" });
  });

  describe("toModelOutput", () => {
    const withOutput = (toModelOutput: NonNullable<ReturnType<typeof tool>["toModelOutput"]>) =>
      new AgenticToolsNode({
        tools: { t: tool({ inputSchema: city, execute: async () => ({ secret: 1 }), toModelOutput }) as never },
        onToolError: "result",
      });

    it("text and json", async () => {
      expect(
        (
          await resultOf(
            withOutput(() => ({ type: "text", value: "short" })),
            "t",
            { city: "x" },
          )
        ).result,
      ).toBe("short");
      const json = await resultOf(
        withOutput(() => ({ type: "json", value: { a: 1 } })),
        "t",
        { city: "x" },
      );
      expect(json).toMatchObject({ result: '{"a":1}', resultType: "json" });
    });

    it("json of a text is JSON, not the text", async () => {
      const json = await resultOf(
        withOutput(() => ({ type: "json", value: "a" })),
        "t",
        { city: "x" },
      );
      expect(["a", '"a"']).toContain(json.result);
    });

    it("content becomes parts", async () => {
      const output = {
        type: "content" as const,
        value: [
          { type: "text" as const, text: "A picture:" },
          { type: "media" as const, data: "aGk=", mediaType: "image/png" },
        ],
      };
      const { content, result } = await resultOf(
        withOutput(() => output as never),
        "t",
        { city: "x" },
      );
      expect(result).toBe("A picture:");
      expect(content).toEqual([
        { type: "text", text: "A picture:" },
        { type: "image", base64Data: "aGk=", mimeType: "image/png" },
      ]);
    });

    it("newer file parts: data, url, text", async () => {
      const output = {
        type: "content" as const,
        value: [
          { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } },
          {
            type: "file",
            mediaType: "application/pdf",
            filename: "a.pdf",
            data: { type: "url", url: new URL("https://x.example/a.pdf") },
          },
          { type: "file", mediaType: "image/jpeg", data: { type: "data", data: new Uint8Array([104, 105]) } },
        ],
      };
      const { content } = await resultOf(
        withOutput(() => output as never),
        "t",
        { city: "x" },
      );
      expect(content).toEqual([
        { type: "image", base64Data: "aGk=", mimeType: "image/png" },
        { type: "file", url: "https://x.example/a.pdf", mimeType: "application/pdf", name: "a.pdf" },
        { type: "image", base64Data: "aGk=", mimeType: "image/jpeg" },
      ]);
    });

    it("error-text, error-json and execution-denied are results that say so", async () => {
      const text = await resultOf(
        withOutput(() => ({ type: "error-text", value: "no such city" })),
        "t",
        { city: "x" },
      );
      expect(text).toMatchObject({ isError: true, errorKind: "execution" });
      expect(text.result).toContain("no such city");
      const json = await resultOf(
        withOutput(() => ({ type: "error-json", value: { code: 7 } })),
        "t",
        { city: "x" },
      );
      expect(json.isError).toBe(true);
      expect(json.result).toContain('{"code":7}');
      const denied = await resultOf(
        withOutput(() => ({ type: "execution-denied", reason: "not today" })),
        "t",
        { city: "x" },
      );
      expect(denied).toMatchObject({ isError: true, errorKind: "denied" });
      expect(denied.result).toContain("not today");
    });

    it("gets output, input and toolCallId, may be async, and its error fails the call", async () => {
      let seen: unknown;
      const node = withOutput(async (given) => {
        seen = given;
        return { type: "text", value: "ok" };
      });
      await resultOf(node, "t", { city: "x" });
      expect(seen).toEqual({ output: { secret: 1 }, input: { city: "x" }, toolCallId: "call-1" });
      const failing = withOutput(() => {
        throw new Error("cannot tell");
      });
      expect(await resultOf(failing, "t", { city: "x" })).toMatchObject({ isError: true });
    });

    it("sees the last value of an iterable", async () => {
      const node = new AgenticToolsNode({
        tools: {
          t: tool({
            inputSchema: city,
            async *execute() {
              yield 1;
              yield 2;
            },
            toModelOutput: ({ output }) => ({ type: "text", value: `last ${output}` }),
          }),
        },
      });
      expect((await resultOf(node, "t", { city: "x" })).result).toBe("last 2");
    });
  });

  it("hooks: onInputStart, onInputDelta, onInputAvailable, in that order, with their parameters", async () => {
    const seen: unknown[] = [];
    const hooked = tool({
      inputSchema: city,
      onInputStart: ({ toolCallId, messages, abortSignal }) =>
        void seen.push(["start", toolCallId, Array.isArray(messages), abortSignal instanceof AbortSignal]),
      onInputDelta: ({ inputTextDelta, toolCallId }) => void seen.push(["delta", toolCallId, inputTextDelta]),
      onInputAvailable: ({ input, toolCallId }) => void seen.push(["input", toolCallId, input]),
      execute: async () => {
        seen.push(["execute"]);
        return "";
      },
    });
    const piece = (text: string) =>
      assistantMessage(functionToolCall({ callId: "c", name: "hooked", arguments: text, streamingMeta: { index: 0 } }));
    const node = new AgenticToolsNode({ tools: { hooked } });
    await node.collect(StreamReader.from([piece('{"city":'), piece('"x"}')]));
    expect(seen).toEqual([
      ["start", "c", true, true],
      ["delta", "c", '{"city":'],
      ["delta", "c", '"x"}'],
      ["input", "c", { city: "x" }],
      ["execute"],
    ]);
  });

  it("an input hook that fails never fails the call", async () => {
    const hooked = tool({
      inputSchema: city,
      onInputAvailable: async () => {
        throw new Error("hook");
      },
      execute: async () => "ran",
    });
    const node = new AgenticToolsNode({ tools: { hooked } });
    const events: string[] = [];
    const { result } = await resultOf(
      node,
      "hooked",
      { city: "x" },
      {
        callbacks: [{ onEvent: (_info, event) => void events.push((event as { kind: string }).kind) }],
      },
    );
    expect(result).toBe("ran");
    expect(events).toContain("hook_error");
  });

  it("a tool without execute is done outside", async () => {
    const node = new AgenticToolsNode({ tools: { ask: tool({ description: "Asks.", inputSchema: city }) } });
    const error = await rejection(node.invoke(message(call("ask", { city: "x" }))));
    expect(error).toMatchObject({
      interrupts: [{ info: { kind: "client_tool", toolName: "ask", toolCallId: "call-1", input: { city: "x" } } }],
    });
  });

  it("a tool of type provider-defined without execute is refused, or is done outside, but is never an unknown value", () => {
    const provider = {
      type: "provider" as const,
      id: "anthropic.web_search" as const,
      isProviderExecuted: true as const,
      args: {},
      inputSchema: jsonSchema({ type: "object" }),
    };
    const error = thrown(() => new AgenticToolsNode({ tools: { web: provider as never } }));
    expect(String(error)).toContain("web");
    expect(String(error)).toMatch(/provider/i);
  });

  it("a provider-defined tool that runs here is a tool like any other", async () => {
    const shell = {
      type: "provider" as const,
      id: "openai.local_shell" as const,
      isProviderExecuted: false as const,
      args: {},
      inputSchema: z.object({ command: z.string() }),
      execute: async ({ command }: { command: string }) => `ran ${command}`,
    };
    const node = new AgenticToolsNode({ tools: { shell } });
    expect((await resultOf(node, "shell", { command: "ls" })).result).toBe("ran ls");
  });

  it("a description that is a function of the context is text for the model", () => {
    const described = tool({ inputSchema: city, description: () => "Made when asked.", execute: async () => "" });
    const node = new AgenticToolsNode({ tools: { described: described as never } });
    expect(node.infos[0]?.description).toBe("Made when asked.");
  });

  it("a description that fails is an error of construction that names the tool", () => {
    const failing = {
      inputSchema: city,
      description: (): string => {
        throw new Error("no words");
      },
      execute: async () => "",
    };
    expect(String(thrown(() => new AgenticToolsNode({ tools: { failing } })))).toMatch(/failing.*no words/s);
  });

  it("a requestContextSchema counts without a name too", async () => {
    const guarded = { inputSchema: city, requestContextSchema: z.object({ user: z.string() }), execute: () => "ran" };
    const node = new AgenticToolsNode({ tools: { guarded } });
    expect((await resultOf(node, "guarded", { city: "x" }, { requestContext: { user: "u" } })).result).toBe("ran");
    expect(await resultOf(node, "guarded", { city: "x" })).toMatchObject({ errorKind: "validation" });
  });

  it("under two names, it needs approval when either says so", async () => {
    for (const [requireApproval, needsApproval] of [
      [() => false, () => true],
      [() => true, () => false],
      [false, () => true],
      [true, () => false],
    ]) {
      const pay = { inputSchema: city, requireApproval, needsApproval, execute: () => "paid" } as never;
      const error = await rejection(
        new AgenticToolsNode({ tools: { pay } }).invoke(message(call("pay", { city: "x" }))),
      );
      expect(error).toMatchObject({ interrupts: [{ info: { kind: "tool_approval" } }] });
    }
  });

  it("providerOptions, metadata, title and strict do no harm", async () => {
    const many = tool({
      title: "Many",
      inputSchema: city,
      strict: true,
      inputExamples: [{ input: { city: "x" } }],
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
      metadata: { source: "test" },
      execute: async () => "ok",
    });
    expect((await resultOf(new AgenticToolsNode({ tools: { many } }), "many", { city: "x" })).result).toBe("ok");
  });

  it("outputSchema is checked, and is never told to the model", async () => {
    const checked = tool({
      inputSchema: city,
      outputSchema: z.object({ celsius: z.number() }),
      execute: async () => ({ celsius: "warm" }) as never,
    });
    const node = new AgenticToolsNode({ tools: { checked }, onToolError: "result" });
    expect(JSON.stringify(node.infos)).not.toContain("celsius");
    const result = await resultOf(node, "checked", { city: "x" });
    expect(result).toMatchObject({
      isError: true,
      errorKind: "output_validation",
      extra: { output: { celsius: "warm" } },
    });
  });

  it("dynamicTool: execute gets the input, whatever it is", async () => {
    const dynamic = dynamicTool({
      description: "d",
      inputSchema: jsonSchema({ type: "object", additionalProperties: true }),
      execute: async (input) => Object.keys(input as object).length,
    });
    expect((await resultOf(new AgenticToolsNode({ tools: { dynamic } }), "dynamic", { a: 1, b: 2 })).result).toBe("2");
  });

  it("a bigint in the result breaks nothing after the side effect", async () => {
    const big = tool({ inputSchema: city, execute: async () => ({ id: 2n ** 70n }) });
    const { result } = await resultOf(new AgenticToolsNode({ tools: { big } }), "big", { city: "x" });
    expect(result).toContain("1180591620717411303424");
  });

  it("a synchronous throw and a rejection are errors of the call that keep their cause", async () => {
    class CityError extends Error {}
    const tools = {
      sync: tool({
        inputSchema: city,
        execute: (): string => {
          throw new CityError("sync");
        },
      }),
      async: tool({
        inputSchema: city,
        execute: async (): Promise<string> => {
          throw new CityError("async");
        },
      }),
    };
    for (const name of ["sync", "async"]) {
      const error = await rejection(new AgenticToolsNode({ tools }).invoke(message(call(name, { city: "x" }))));
      expect(error).toBeInstanceOf(ToolError);
      expect(error).toMatchObject({ kind: "execution", toolName: name, callId: "call-1" });
      expect((error as Error).cause).toBeInstanceOf(CityError);
    }
  });

  it("handlers see a tool of the AI SDK like any other", async () => {
    const recorder = traceRecorder();
    const weather = tool({ inputSchema: city, execute: async () => "sunny" });
    await resultOf(new AgenticToolsNode({ tools: { weather } }), "weather", { city: "x" }, { callbacks: [recorder] });
    const text = JSON.stringify(recorder.toJSON());
    expect(text).toContain('"component":"tool"');
    expect(text).toContain("sunny");
  });

  it("a list takes a tool() that has a name of its own, and refuses one that has none", () => {
    const nameless = tool({ inputSchema: city, execute: async () => "" });
    expect(String(thrown(() => new AgenticToolsNode([nameless as never])))).toMatch(/name/);
  });
});
