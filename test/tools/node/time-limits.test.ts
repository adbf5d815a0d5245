import { AgenticToolsNode, createTool } from "kumiko";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, calls, deferred, kindsOf, textsOf, tool, toolError } from "./calls.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const forever = () => new Promise<never>(() => undefined);
const deaf = tool("deaf", forever);

describe("a time limit", () => {
  it("fails a tool that ignores its signal", async () => {
    const failing = toolError(new AgenticToolsNode({ tools: [deaf], timeoutMs: 100 }).invoke(calls(call("deaf"))));
    await vi.advanceTimersByTimeAsync(110);
    const error = await failing;
    expect(error).toMatchObject({ kind: "timeout", toolName: "deaf" });
    expect(error.message).toContain("100 ms");
    expect((error.cause as Error).name).toBe("TimeoutError");
  });

  it("of the tool comes before that of the node", async () => {
    const patient = createTool({ id: "patient", description: "", timeoutMs: 1_000, execute: forever });
    const settledKinds: string[] = [];
    const node = new AgenticToolsNode({ tools: [patient, deaf], timeoutMs: 100, onToolError: "result" });
    const running = node
      .invoke(calls(call("patient"), call("deaf")))
      .then((results) => settledKinds.push(...kindsOf(results).map(String)));
    await vi.advanceTimersByTimeAsync(900);
    expect(settledKinds).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    await running;
    expect(settledKinds).toEqual(["timeout", "timeout"]);
  });

  it("may be Infinity, for one tool that takes its time", async () => {
    const gate = deferred<string>();
    const patient = createTool({
      id: "patient",
      description: "",
      timeoutMs: Number.POSITIVE_INFINITY,
      execute: () => gate.promise,
    });
    const running = new AgenticToolsNode({ tools: [patient], timeoutMs: 10 }).invoke(calls(call("patient")));
    await vi.advanceTimersByTimeAsync(1_000);
    gate.resolve("done");
    expect(textsOf(await running)).toEqual(["done"]);
  });

  it("aborts the signal of that call alone", async () => {
    const signals: AbortSignal[] = [];
    const listening = (id: string, timeoutMs?: number) =>
      createTool({
        id,
        description: "",
        timeoutMs,
        execute: (_input, ctx) => {
          signals.push(ctx.signal);
          return forever();
        },
      });
    const node = new AgenticToolsNode([listening("limited", 50), listening("free")]);
    void node.invoke(calls(call("limited"), call("free"))).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("shows in a signal that is read only afterwards", async () => {
    let read: (() => AbortSignal) | undefined;
    const late = createTool({
      id: "late",
      description: "",
      execute: (_input, ctx) => {
        read = () => ctx.signal;
        return forever();
      },
    });
    void new AgenticToolsNode({ tools: [late], timeoutMs: 50 }).invoke(calls(call("late"))).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60);
    expect(read?.().reason).toMatchObject({ name: "TimeoutError" });
  });

  it("counts for each call from its own start", async () => {
    const slow = (id: string) => tool(id, () => new Promise((resolve) => setTimeout(resolve, 80, id)));
    const node = new AgenticToolsNode({ tools: [slow("a"), slow("b")], executeSequentially: true, timeoutMs: 100 });
    const running = node.invoke(calls(call("a"), call("b")));
    await vi.advanceTimersByTimeAsync(200);
    expect(textsOf(await running)).toEqual(["a", "b"]);
  });

  it("is total for a tool that streams, however busy it is", async () => {
    const ticking = tool("ticking", async function* () {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 30));
        yield "tick ";
      }
    });
    const node = new AgenticToolsNode({ tools: [ticking], timeoutMs: 100, onToolError: "result" });
    const whole = node.invoke(calls(call("ticking")));
    const streamed = node.stream(calls(call("ticking"))).concat();
    await vi.advanceTimersByTimeAsync(110);
    expect(textsOf(await whole)[0]).toMatch(/^tick tick tick \nTool "ticking" .* did not finish within/);
    expect(await streamed).toEqual(await whole);
  });

  it("ends a stream that waits for a deaf tool", async () => {
    const stuck = tool("stuck", async function* () {
      yield "x";
      await forever();
    });
    const stream = new AgenticToolsNode({ tools: [stuck], timeoutMs: 100 }).stream(calls(call("stuck")));
    await stream.next();
    const failing = toolError(stream.next());
    await vi.advanceTimersByTimeAsync(110);
    expect(await failing).toMatchObject({ kind: "timeout" });
  });

  it("includes the middlewares", async () => {
    const node = new AgenticToolsNode({
      tools: [tool("a", () => "a")],
      timeoutMs: 50,
      toolCallMiddlewares: [{ invokable: () => forever }],
    });
    const failing = toolError(node.invoke(calls(call("a"))));
    await vi.advanceTimersByTimeAsync(60);
    expect((await failing).kind).toBe("timeout");
  });

  it("tells handlers of the failure, and later of the late result", async () => {
    const log: unknown[] = [];
    const gate = deferred<string>();
    const node = new AgenticToolsNode({
      tools: [tool("slow", () => gate.promise)],
      timeoutMs: 50,
      onToolError: "result",
    });
    const running = node.invoke(calls(call("slow")), {
      callbacks: [
        {
          onError: (info, error) => log.push([info.component, (error as { kind: string }).kind]),
          onEvent: (_info, event) => log.push(event),
        },
      ],
    });
    await vi.advanceTimersByTimeAsync(60);
    expect(kindsOf(await running)).toEqual(["timeout"]);
    gate.resolve("too late");
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual([["tool", "timeout"], { kind: "late_result", result: "too late" }]);
  });

  it("leaves no timer when a call ends in time, and never fires for it", async () => {
    const node = new AgenticToolsNode({ tools: [tool("a", async () => "a")], timeoutMs: 50 });
    expect(textsOf(await node.invoke(calls(call("a"))))).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(60);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the time limits of a node", () => {
  const limited = (id: string, timeoutMs: number, execute: () => Promise<string> = forever) =>
    createTool({ id, description: "", timeoutMs, execute });

  it("share one timer per limit", async () => {
    const failed: string[] = [];
    const callbacks = [{ onError: ({ name }: { name: string }) => failed.push(name) }];
    const gate = deferred<string>();
    const tools = [limited("a", 100), limited("b", 100, () => gate.promise), limited("short", 10), limited("c", 100)];
    const node = new AgenticToolsNode({ tools, onToolError: "result" });
    const first = node.invoke(calls(call("a"), call("b"), call("short")), { callbacks });
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(2);
    await vi.advanceTimersByTimeAsync(50);
    expect(failed).toEqual(["short"]);
    const second = node.invoke(calls(call("c")), { callbacks });
    gate.resolve("in time");
    await vi.advanceTimersByTimeAsync(60);
    expect(failed).toEqual(["short", "a"]);
    expect(textsOf(await first)[1]).toBe("in time");
    await vi.advanceTimersByTimeAsync(60);
    expect(failed).toEqual(["short", "a", "c"]);
    expect(kindsOf(await second)).toEqual(["timeout"]);
    await vi.advanceTimersByTimeAsync(200);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may be longer than a timer can be", async () => {
    const days = 40 * 24 * 3_600_000;
    const kinds: unknown[] = [];
    const node = new AgenticToolsNode({ tools: [limited("patient", days)], onToolError: "result" });
    void node.invoke(calls(call("patient"))).then((results) => kinds.push(...kindsOf(results)));
    await vi.advanceTimersByTimeAsync(days - 10);
    expect(kinds).toEqual([]);
    await vi.advanceTimersByTimeAsync(20);
    expect(kinds).toEqual(["timeout"]);
  });
});
