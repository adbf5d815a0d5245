import { Chain, END, Graph, memoryCache, Runtime, START } from "kumiko";
import { simulate } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { type Recorded, record } from "./recorded.js";

/** The events of a span as their names and attributes. */
function eventsOf(recorded: Recorded, span: string): unknown[] {
  return recorded.span(span).events.map(({ name, attributes }) => [name, attributes]);
}

function failsUntil(attempt: number) {
  return (text: string, ctx: { readonly attempt: number }) => {
    if (ctx.attempt < attempt) throw new TypeError("fetch failed");
    return text;
  };
}

describe("what a node's policies do", () => {
  it("is told as events of the span around it, with the place of the node", async () => {
    const recorded = record({ content: true });
    await simulate(async ({ runtime }) => {
      const app = new Chain<string>()
        .append(failsUntil(3), { key: "shaky", retry: { attempts: 3, delayMs: 10, jitter: false } })
        .append(failsUntil(9), { key: "broken", fallback: () => "instead" })
        .compile({ name: "flow", runtime, callbacks: [recorded.handler] });
      expect(await app.invoke("hi")).toBe("instead");
    });
    const shaky = { "kumiko.address": "runnable:flow;node:shaky", "error.type": "TypeError" };
    expect(eventsOf(recorded, "invoke_workflow flow")).toEqual([
      ["retry", { ...shaky, "kumiko.attempt": 1, "kumiko.delayMs": 10, "exception.message": "fetch failed" }],
      ["retry", { ...shaky, "kumiko.attempt": 2, "kumiko.delayMs": 20, "exception.message": "fetch failed" }],
      [
        "fallback",
        {
          "kumiko.address": "runnable:flow;node:broken",
          "error.type": "TypeError",
          "exception.message": "fetch failed",
        },
      ],
    ]);
  });

  it("is told of the node's own span where it has one", async () => {
    const recorded = record({ allNodes: true });
    const app = new Chain<string>()
      .append(failsUntil(2), { key: "shaky", retry: { attempts: 2, delayMs: 0 } })
      .compile({ name: "flow", callbacks: [recorded.handler] });
    await app.invoke("hi");
    expect(recorded.span("lambda shaky").events.map(({ name }) => name)).toEqual(["retry"]);
    expect(recorded.span("invoke_workflow flow").events).toEqual([]);
  });

  it("names time limits, and results that come too late", async () => {
    const recorded = record();
    await simulate(async ({ runtime, advance }) => {
      const slow = (text: string, ctx: { readonly attempt: number }) =>
        ctx.attempt > 1
          ? text
          : new Promise<string>((resolve) => {
              runtime.clock.setTimer(() => resolve("late"), 150);
            });
      const wait = (text: string) =>
        new Promise<string>((resolve) => {
          runtime.clock.setTimer(() => resolve(text), 200);
        });
      const app = new Chain<string>()
        .append(slow, { key: "slow", timeoutMs: 100, retry: { attempts: 2, delayMs: 0 } })
        .append(wait, { key: "wait" })
        .compile({ name: "flow", runtime, callbacks: [recorded.handler] });
      expect(await app.invoke("hi")).toBe("hi");
      await advance(1_000);
    });
    expect(eventsOf(recorded, "invoke_workflow flow")).toMatchObject([
      ["retry", { "error.type": "NODE_TIMED_OUT", "kumiko.attempt": 1 }],
      ["late_result", { "kumiko.address": "runnable:flow;node:slow" }],
    ]);
  });

  it("goes to the span around it when its own has ended", async () => {
    const recorded = record({ allNodes: true });
    await simulate(async ({ runtime }) => {
      const clock = runtime.clock;
      const late = () => new Promise<string>((resolve) => void clock.setTimer(() => resolve("late"), 150));
      const wait = (text: string) => new Promise<string>((resolve) => void clock.setTimer(() => resolve(text), 200));
      const app = new Chain<string>()
        .append(late, { key: "late", timeoutMs: 100, fallback: () => "instead" })
        .append(wait, { key: "wait" })
        .compile({ name: "flow", runtime, callbacks: [recorded.handler] });
      expect(await app.invoke("hi")).toBe("instead");
    });
    expect(recorded.span("lambda late").events.map(({ name }) => name)).toEqual(["fallback"]);
    expect(eventsOf(recorded, "invoke_workflow flow")).toEqual([
      ["late_result", { "kumiko.address": "runnable:flow;node:late" }],
    ]);
  });

  it("says what a cache had, or why it had nothing", async () => {
    const recorded = record();
    const runtime = new Runtime({ cache: memoryCache(), callbacks: [recorded.handler] });
    const app = new Chain<string>()
      .append((text) => text, { key: "kept", cache: true })
      .compile({ name: "flow", runtime });
    await app.invoke("hi");
    await app.invoke("hi");
    const address = "runnable:flow;node:kept";
    const [first, second] = recorded
      .spans()
      .map(({ events }) => events.map(({ name, attributes }) => [name, attributes]));
    expect(first).toEqual([]);
    expect(second).toEqual([["cache_hit", { "kumiko.address": address }]]);

    const broken = record({ content: true });
    const failing = async () => {
      throw new Error("gone");
    };
    const store = { get: failing, set: failing, deletePrefix: failing };
    await new Chain<string>()
      .append((text) => text, { key: "kept", cache: { store } })
      .compile({ name: "flow", callbacks: [broken.handler] })
      .invoke("hi");
    const failed = { "kumiko.address": address, "error.type": "Error", "exception.message": "gone" };
    expect(eventsOf(broken, "invoke_workflow flow")).toEqual([
      ["cache_failed", { ...failed, "kumiko.operation": "get" }],
      ["cache_failed", { ...failed, "kumiko.operation": "set" }],
    ]);
  });

  it("says where an error branch leads", async () => {
    const recorded = record();
    const app = new Graph<string, string>()
      .addNode("fails", (): string => {
        throw new Error("no");
      })
      .addNode("other", ({ error }: { readonly error: Error }) => error.message)
      .addEdge(START, "fails")
      .addErrorBranch("fails", ["other"], () => "other")
      .addEdge("fails", END)
      .addEdge("other", END)
      .compile({ name: "flow", callbacks: [recorded.handler] });
    await app.invoke("hi");
    expect(eventsOf(recorded, "invoke_workflow flow")).toEqual([
      ["branch", { "kumiko.address": "runnable:flow;node:fails", "kumiko.targets": ["other"] }],
    ]);
  });

  it("sends no values, and nothing that is not asked for", async () => {
    const recorded = record();
    const app = new Chain<string>()
      .append(failsUntil(2), { key: "shaky", retry: { attempts: 2, delayMs: 0 } })
      .compile({ name: "flow", callbacks: [recorded.handler] });
    await app.invoke("a secret");
    expect(JSON.stringify(recorded.span("invoke_workflow flow").events)).not.toContain("secret");
  });
});
