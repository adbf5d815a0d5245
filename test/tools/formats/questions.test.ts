import { toolDefinition } from "@tanstack/ai";
import { tool } from "ai";
import { AgenticToolsNode, Chain, type InterruptError, memoryStore } from "kumiko";
import type { AnyTool } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { interruptOf } from "../../checkpoint/interrupt-of.js";
import { blocksOf, call, calls, textsOf } from "../node/calls.js";
import { mastraTool } from "./mastra-shape.js";

const run = { checkpointId: "run" };

function appOf(name: string, given: AnyTool) {
  return new Chain<ReturnType<typeof calls>>()
    .appendToolsNode(new AgenticToolsNode({ tools: { [name]: given } }), { key: "tools" })
    .compile({ name: "app", store: memoryStore() });
}

const idOf = ({ interrupts }: InterruptError): string => interrupts[0]?.id ?? "";
const inputSchema = z.object({ to: z.string() });
const pay = ({ to }: { to: string }) => `paid ${to}`;
const base = { id: "pay", name: "pay", description: "Pays." };

describe("approval is asked for before a tool runs", () => {
  const formats: readonly [string, AnyTool][] = [
    ["a plain tool", { ...base, inputSchema, needsApproval: true, execute: pay }],
    ["an AI SDK tool", tool({ inputSchema, needsApproval: true, execute: pay })],
    [
      "an AI SDK tool whose function says so",
      tool({ inputSchema, needsApproval: ({ to }) => to === "Ada", execute: pay }),
    ],
    ["a TanStack server tool [N17]", toolDefinition({ ...base, inputSchema, needsApproval: true }).server(pay)],
    ["a Mastra tool", mastraTool({ ...base, inputSchema, requireApproval: true, execute: pay })],
  ];
  it.each(formats)("%s", async (_format, given) => {
    const app = appOf("pay", given);
    const error = await interruptOf(app.invoke(calls(call("pay", { to: "Ada" }, "1")), run));
    expect(error.interrupts.map(({ info }) => info)).toEqual([
      { kind: "tool_approval", toolName: "pay", toolCallId: "1", input: { to: "Ada" } },
    ]);
    const answers = { [idOf(error)]: { approved: true, arguments: { to: "Bo" } } };
    expect(textsOf(await app.resume("run", answers))).toEqual(["paid Bo"]);
  });

  it("and a tool that is declined does not run", async () => {
    let ran = false;
    const app = appOf("pay", tool({ inputSchema, needsApproval: true, execute: () => (ran = true) }));
    const error = await interruptOf(app.invoke(calls(call("pay", { to: "Ada" })), run));
    const results = await app.resume("run", { [idOf(error)]: { approved: false } });
    expect(blocksOf(results)).toMatchObject([{ isError: true, errorKind: "denied" }]);
    expect(ran).toBe(false);
  });
});

describe("a tool without execute is done by somebody outside", () => {
  const outputSchema = z.object({ clicked: z.boolean() });
  const definition = toolDefinition({ ...base, inputSchema, outputSchema });
  const formats: readonly [string, AnyTool][] = [
    ["of the AI SDK", tool({ description: "Pays.", inputSchema, outputSchema })],
    ["of TanStack, as a definition [N18]", definition],
    ["of TanStack, for the client [N2]", definition.client()],
  ];
  it.each(formats)("%s", async (_format, given) => {
    const app = appOf("pay", given);
    const error = await interruptOf(app.invoke(calls(call("pay", { to: "Ada" }, "1")), run));
    expect(error.interrupts.map(({ info }) => info)).toEqual([
      { kind: "client_tool", toolName: "pay", toolCallId: "1", input: { to: "Ada" } },
    ]);
    const results = await app.resume("run", { [idOf(error)]: { clicked: true } });
    expect(textsOf(results)).toEqual(['{"clicked":true}']);
  });
});

it("a Mastra tool suspends, and is resumed with data", async () => {
  const seen: unknown[] = [];
  const given = mastraTool({
    ...base,
    inputSchema: z.object({ to: z.string().transform((name) => `<${name}>`) }),
    execute: async ({ to }, { agent }) => {
      const { suspend, resumeData } = agent as {
        suspend(payload: unknown): Promise<unknown>;
        resumeData?: { code: string };
      };
      seen.push(to);
      if (resumeData === undefined) return suspend({ ask: "code" });
      return `${to} ${resumeData.code}`;
    },
  });
  const app = appOf("pay", given);
  const error = await interruptOf(app.invoke(calls(call("pay", { to: "Ada" }, "1")), run));
  expect(error.interrupts[0]?.info).toEqual({
    kind: "tool_suspended",
    toolName: "pay",
    toolCallId: "1",
    payload: { ask: "code" },
  });
  expect(textsOf(await app.resume("run", { [idOf(error)]: { code: "42" } }))).toEqual(["<Ada> 42"]);
  expect(seen).toEqual(["<Ada>", "<Ada>"]);
});
