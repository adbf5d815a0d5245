import { tool as aiTool } from "ai";
import { type AgenticMessage, AgenticToolsNode, type AgenticToolsNodeConfig, Chain, createTool } from "kumiko";
import { openApiTools } from "kumiko/openapi";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { call, calls, deferred, rejection, settled } from "./node/calls.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const modes = ["invoke", "stream"] as const;
const ends = ["an abort", "a time-out"] as const;

/** Runs a call until `reached`, ends it, lets go of what it waits for, and tells what handlers heard. */
async function endWhileItWaits(
  config: AgenticToolsNodeConfig,
  mode: (typeof modes)[number],
  end: (typeof ends)[number],
  { reached, gate }: { reached: Promise<void>; gate: () => void },
) {
  const stop = new AbortController();
  const heard: string[] = [];
  const node = new AgenticToolsNode({ ...config, timeoutMs: end === "a time-out" ? 50 : undefined });
  const app = new Chain<AgenticMessage>().appendToolsNode(node, { key: "tools" }).compile({ name: "app" });
  const options = {
    signal: stop.signal,
    callbacks: [
      {
        onStart: ({ component }: { component: string }) => void (component === "tool" && heard.push("start")),
        onEnd: ({ component }: { component: string }) => void (component === "tool" && heard.push("end")),
        onError: ({ component }: { component: string }) => void (component === "tool" && heard.push("error")),
      },
    ],
  };
  const message = calls(call("pay"));
  const running = rejection(mode === "invoke" ? app.invoke(message, options) : app.stream(message, options).concat());
  await reached;
  if (end === "an abort") stop.abort("enough");
  else await vi.advanceTimersByTimeAsync(60);
  const error = await running;
  gate();
  await settled();
  await vi.advanceTimersByTimeAsync(1);
  expect(end === "an abort" ? error : (error as Error).message).toEqual(
    end === "an abort" ? "enough" : expect.stringContaining("50 ms"),
  );
  expect(heard.filter((timing) => timing === "start")).toHaveLength(heard.length / 2);
}

describe.each(ends)("after %s", (end) => {
  describe.each(modes)("(%s)", (mode) => {
    /** A thing to wait for, and to say that somebody does. */
    const waiting = () => {
      const reached = deferred();
      const opened = deferred();
      const wait = async () => {
        reached.resolve();
        await opened.promise;
      };
      return { wait, reached: reached.promise, gate: () => opened.resolve() };
    };
    const payTool = (paid: string[], more: object = {}) =>
      createTool({ id: "pay", description: "", execute: () => void paid.push("paid"), ...more });
    const streamingPayTool = (paid: string[], more: object = {}) =>
      createTool({
        id: "pay",
        description: "",
        execute: async function* () {
          paid.push("paid");
          yield "paid";
        },
        ...more,
      });

    it.each([
      ["whole", payTool],
      ["streaming", streamingPayTool],
    ])("a %s tool does not run when its approval predicate lets it", async (_kind, make) => {
      const paid: string[] = [];
      const { wait, ...gates } = waiting();
      const requireApproval = async () => {
        await wait();
        return false;
      };
      await endWhileItWaits({ tools: [make(paid, { requireApproval })] }, mode, end, gates);
      expect(paid).toEqual([]);
    });

    it("a tool does not run when its middleware goes on", async () => {
      const paid: string[] = [];
      const { wait, ...gates } = waiting();
      const toolCallMiddlewares: AgenticToolsNodeConfig["toolCallMiddlewares"] = [
        {
          invokable: (next) => async (toolCall, ctx) => {
            await wait();
            return next(toolCall, ctx);
          },
        },
      ];
      await endWhileItWaits({ tools: [payTool(paid)], toolCallMiddlewares }, mode, end, gates);
      expect(paid).toEqual([]);
    });

    it("a streaming tool does not run when its middleware goes on", async () => {
      const paid: string[] = [];
      const { wait, ...gates } = waiting();
      const toolCallMiddlewares: AgenticToolsNodeConfig["toolCallMiddlewares"] = [
        {
          streamable: (next) => async (toolCall, ctx) => {
            await wait();
            return next(toolCall, ctx);
          },
        },
      ];
      await endWhileItWaits({ tools: [streamingPayTool(paid)], toolCallMiddlewares }, mode, end, gates);
      expect(paid).toEqual([]);
    });

    it("a tool does not run when changed arguments have been validated", async () => {
      const paid: string[] = [];
      const { wait, ...gates } = waiting();
      const inputSchema = z.object({ slow: z.boolean().optional() }).refine(async ({ slow }) => {
        if (slow === true) await wait();
        return true;
      });
      const toolCallMiddlewares: AgenticToolsNodeConfig["toolCallMiddlewares"] = [
        { invokable: (next) => (toolCall, ctx) => next({ ...toolCall, arguments: '{"slow":true}' }, ctx) },
      ];
      await endWhileItWaits({ tools: [payTool(paid, { inputSchema })], toolCallMiddlewares }, mode, end, gates);
      expect(paid).toEqual([]);
    });

    it("an AI SDK tool does not run when its context has been checked", async () => {
      const paid: string[] = [];
      const { wait, ...gates } = waiting();
      let checks = 0;
      const contextSchema = z.object({}).refine(async () => {
        checks++;
        // each validation runs it twice: the node's own, before any call, and that of the tool, which takes what it gives
        if (checks > 2) await wait();
        return true;
      });
      const pay = aiTool({
        inputSchema: z.object({}),
        contextSchema,
        execute: async () => void paid.push("paid"),
      });
      await endWhileItWaits({ tools: { pay } }, mode, end, gates);
      expect(paid).toEqual([]);
    });

    it("an operation of OpenAPI is not sent when its headers are known", async () => {
      const paid: string[] = [];
      const { wait, ...gates } = waiting();
      const document = {
        openapi: "3.1.0",
        servers: [{ url: "http://127.0.0.1:1" }],
        paths: { "/pay": { post: { operationId: "pay" } } },
      };
      vi.useRealTimers();
      const tools = await openApiTools(document, {
        headers: async () => {
          await wait();
          return {};
        },
        fetch: async () => {
          paid.push("paid");
          return new Response("paid");
        },
      });
      vi.useFakeTimers();
      await endWhileItWaits({ tools }, mode, end, gates);
      expect(paid).toEqual([]);
    });
  });
});

it.each(modes)("a handler that aborts at the start of a call keeps its tool from running (%s)", async (mode) => {
  const paid: string[] = [];
  const stop = new AbortController();
  const heard: string[] = [];
  const pay = createTool({ id: "pay", description: "", execute: () => void paid.push("paid") });
  const node = new AgenticToolsNode([pay]);
  const options = {
    signal: stop.signal,
    callbacks: [
      {
        onStart: () => {
          heard.push("start");
          stop.abort("enough");
        },
        onEnd: () => void heard.push("end"),
        onError: () => void heard.push("error"),
      },
    ],
  };
  const app = new Chain<AgenticMessage>().appendToolsNode(node).compile();
  const only = { ...options, callbacks: [], nodes: { node_0: { callbacks: options.callbacks } } };
  const message = calls(call("pay"));
  expect(await rejection(mode === "invoke" ? app.invoke(message, only) : app.stream(message, only).concat())).toBe(
    "enough",
  );
  expect(paid).toEqual([]);
  expect(heard.filter((timing) => timing === "start")).toHaveLength(heard.length / 2);
});

it("a tool that is called on its own does not run after an abort either", async () => {
  const paid: string[] = [];
  const stop = new AbortController();
  const inputSchema = z.object({}).refine(async () => {
    stop.abort(new Error("enough"));
    return true;
  });
  const pay = createTool({ id: "pay", description: "", inputSchema, execute: () => void paid.push("paid") });
  await expect(pay.invoke("{}", { signal: stop.signal } as never)).rejects.toThrow("enough");
  expect(paid).toEqual([]);
});
