import { AgenticToolsNode, assistantMessage, Chain, createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import type { OtelTracerOptions } from "kumiko/otel";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Recorded, record } from "./recorded.js";

const secret = "SECRET";
const numbers = z.object({ n: z.number() });
const tools = [
  createTool({ id: "count", description: "", inputSchema: numbers, execute: () => "1" }),
  createTool({ id: "odd", description: "", outputSchema: numbers, execute: () => ({ n: secret as never }) }),
  createTool({
    id: "broken",
    description: "",
    execute: () => {
      throw Object.assign(new TypeError(`no ${secret}`), { name: `Odd ${secret}!` });
    },
  }),
];
const call = (name: string, args = "{}") => functionToolCall({ callId: "1", name, arguments: args });

type Failing = (recorded: Recorded) => Promise<unknown>;

const agent =
  (answer: string | ReturnType<typeof call>[], more: object = {}): Failing =>
  ({ handler }) =>
    createAgent({ model: scriptedModel(answer, "done"), tools, retry: false, callbacks: [handler], ...more }).generate(
      "x",
    );

const toolsNode =
  (block: ReturnType<typeof call>): Failing =>
  ({ handler }) =>
    new Chain<ReturnType<typeof assistantMessage>>()
      .appendToolsNode(new AgenticToolsNode(tools))
      .compile({ name: "app" })
      .invoke(assistantMessage(block), { callbacks: [handler] });

const failures: Readonly<Record<string, Failing>> = {
  "arguments that do not fit": agent([call("count", `{"n":"${secret}"}`)]),
  "arguments that are not JSON": agent([call("count", `{"n":"${secret}`)]),
  "a tool that does not exist": agent([call(secret)]),
  "an answer that does not fit": agent(secret, { output: numbers, outputRepairs: 0 }),
  "an output that does not fit": agent([call("odd")]),
  "a tool that throws": agent([call("broken")]),
  "arguments that do not fit, where a failure rejects the run": toolsNode(call("count", `{"n":"${secret}"}`)),
  "a tool that does not exist, where a failure rejects the run": toolsNode(call(secret)),
  "a node that throws, with a retry": ({ handler }) =>
    new Chain<string>()
      .append(
        () => {
          throw new Error(secret);
        },
        { retry: { attempts: 2, delayMs: 0 } },
      )
      .compile({ name: "app", callbacks: [handler] })
      .invoke("x"),
  "a question with a kind of its own": ({ handler }) =>
    new Chain<string>()
      .append((_, ctx) => ctx.interrupt({ kind: `${secret}?` }))
      .compile({ name: "app", store: memoryStore(), callbacks: [handler] })
      .invoke("x", { checkpointId: "id" }),
};

async function sent(fail: Failing, options: OtelTracerOptions): Promise<string> {
  const recorded = record({ allNodes: true, ...options });
  await fail(recorded).catch(() => undefined);
  const spans = recorded.spans().map(({ name, status, attributes, events }) => ({ name, status, attributes, events }));
  expect(spans.length).toBeGreaterThan(0);
  const points = Object.values(await recorded.metrics()).flatMap((all) => all.map(({ attributes }) => attributes));
  return JSON.stringify({ spans, points });
}

describe.each(Object.entries(failures))("%s", (_name, fail) => {
  it("sends no content without the option content", async () => {
    expect(await sent(fail, {})).not.toContain(secret);
  });

  it("sends nothing that is redacted", async () => {
    const redact = (value: unknown) => JSON.stringify(value).replaceAll(secret, "…");
    expect(await sent(fail, { content: redact })).not.toContain(secret);
  });

  it("sends it with the option content, but never in metrics", async () => {
    const text = await sent(fail, { content: true });
    expect(text).toContain(secret);
    expect(JSON.stringify(JSON.parse(text).points)).not.toContain(secret);
  });
});

it("asks for the text of an error as exception.message, and leaves it out for undefined", async () => {
  const asked: string[] = [];
  const content = (value: unknown, attribute: string) => {
    asked.push(attribute);
    return attribute === "exception.message" ? undefined : value;
  };
  const recorded = record({ content });
  await toolsNode(call("broken"))(recorded).catch(() => undefined);
  expect(asked).toContain("exception.message");
  expect(recorded.span("execute_tool broken").status).not.toHaveProperty("message");
  expect(recorded.span("execute_tool broken").attributes["error.type"]).toBe("_OTHER");
});
