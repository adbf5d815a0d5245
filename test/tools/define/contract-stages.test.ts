import { AgenticToolsNode, asTool, Chain, lambda, memoryStore, type Tool } from "kumiko";
import { type AnyTool, toolInfo } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { interruptOf, questionOf } from "../../checkpoint/interrupt-of.js";
import { errorOf } from "../../run/rejected-by.js";
import { blocksOf, call, calls, textsOf } from "../node/calls.js";

const run = { checkpointId: "run" };

function appOf(tool: AnyTool) {
  return new Chain<ReturnType<typeof calls>>()
    .appendToolsNode(new AgenticToolsNode([tool]), { key: "tools" })
    .compile({ name: "app", store: memoryStore() });
}

const parameters = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };
const isAda = (text: string) => JSON.parse(text).to === "Ada";

describe("approval of a tool that gets the text of its arguments", () => {
  const info = toolInfo({ name: "pay", parameters });
  const written: Tool = { component: "tool", info, requireApproval: true, invoke: async (text) => `paid ${text}` };
  const formats: readonly [string, AnyTool][] = [
    ["one written by hand", written],
    [
      "one that streams",
      {
        component: "tool",
        info,
        requireApproval: isAda,
        stream: async function* (text) {
          yield "paid ";
          yield text;
        },
      } satisfies Tool,
    ],
    [
      "an Eino tool",
      { info: { name: "pay", parameters }, requireApproval: isAda, invokableRun: async (text) => `paid ${text}` },
    ],
  ];

  it.each(formats)("is asked for before it runs, with that text: %s", async (_which, tool) => {
    const app = appOf(tool);
    const { id, info } = await questionOf(app.invoke(calls(call("pay", { to: "Ada" }, "1")), run));
    expect(info).toEqual({ kind: "tool_approval", toolName: "pay", toolCallId: "1", input: '{"to":"Ada"}' });
    const misfit = await errorOf(app.resume("run", { [id]: { approved: true, arguments: { to: 7 } } }));
    expect(misfit.code).toBe("ANSWER_MISMATCH");
    const results = await app.resume("run", { [id]: { approved: true, arguments: { to: "Bo" } } });
    expect(textsOf(results)).toEqual(['paid {"to":"Bo"}']);
  });

  it("is not asked for where its function does not want it", async () => {
    for (const [, tool] of formats.slice(1)) {
      expect(textsOf(await appOf(tool).invoke(calls(call("pay", { to: "Bo" })), run))).toEqual(['paid {"to":"Bo"}']);
    }
  });

  it("that is refused is a denied call", async () => {
    const app = appOf(written);
    const { id } = await questionOf(app.invoke(calls(call("pay", { to: "Ada" })), run));
    expect(blocksOf(await app.resume("run", { [id]: { approved: false } }))).toMatchObject([{ errorKind: "denied" }]);
  });
});

it("a graph as a tool asks for approval too", async () => {
  const inputSchema = z.object({ to: z.string() });
  const pay = lambda({ invoke: ({ to }: { to: string }) => `paid ${to}` });
  const tool = asTool(pay, { id: "pay", description: "", inputSchema, requireApproval: ({ to }) => to === "Ada" });
  const both = calls(call("pay", { to: "Ada" }, "1"), call("pay", { to: "Bo" }, "2"));
  const app = appOf(tool);
  const { interrupts } = await interruptOf(app.invoke(both, run));
  expect(interrupts.map(({ info }) => info)).toMatchObject([{ toolCallId: "1", input: { to: "Ada" } }]);
  const answers = { [interrupts[0]?.id ?? ""]: { approved: true } };
  expect(textsOf(await app.resume("run", answers))).toEqual(["paid Ada", "paid Bo"]);
});
