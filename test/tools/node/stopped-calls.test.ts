import { AgenticToolsNode, createTool } from "kumiko";
import { describe, expect, it } from "vitest";
import { call, calls, deferred, rejection } from "./calls.js";

describe.each([
  ["without a time limit", undefined],
  ["with a time limit", 60_000],
])("a call %s whose run is stopped", (_name, timeoutMs) => {
  it.each(["invoke", "stream"] as const)("sees it in its signal (%s)", async (mode) => {
    const started = deferred();
    const seen = deferred<readonly unknown[]>();
    const listening = createTool({
      id: "listening",
      description: "",
      execute: async (_input, ctx) => {
        const { signal } = ctx;
        started.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        seen.resolve([signal.reason, ctx.signal === signal]);
      },
    });
    const stop = new AbortController();
    const node = new AgenticToolsNode({ tools: [listening], timeoutMs });
    const options = { signal: stop.signal };
    const message = calls(call("listening"));
    const running = rejection(
      mode === "invoke" ? node.invoke(message, options) : node.stream(message, options).concat(),
    );
    await started.promise;
    stop.abort("enough");
    expect(await running).toBe("enough");
    expect(await seen.promise).toEqual(["enough", true]);
  });

  it.each(["invoke", "stream"] as const)("sees it in a signal that is read only afterwards (%s)", async (mode) => {
    const started = deferred();
    const gate = deferred();
    const seen = deferred<unknown>();
    const late = createTool({
      id: "late",
      description: "",
      execute: async (_input, ctx) => {
        started.resolve();
        await gate.promise;
        seen.resolve(ctx.signal.reason);
      },
    });
    const stop = new AbortController();
    const node = new AgenticToolsNode({ tools: [late], timeoutMs });
    const options = { signal: stop.signal };
    const message = calls(call("late"));
    const running = rejection(
      mode === "invoke" ? node.invoke(message, options) : node.stream(message, options).concat(),
    );
    await started.promise;
    stop.abort("enough");
    await running;
    gate.resolve();
    expect(await seen.promise).toBe("enough");
  });
});
