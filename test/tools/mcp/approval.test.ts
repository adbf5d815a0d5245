import { AgenticToolsNode, Chain, type McpClient, mcpTools, memoryStore } from "kumiko";
import type { McpToolsOptions } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { interruptOf } from "../../checkpoint/interrupt-of.js";
import { call, calls, rejection, textsOf } from "../node/calls.js";

/** A server with files, which writes down what it is asked to do. */
function files(done: string[]): McpClient {
  const inputSchema = { type: "object", properties: { path: { type: "string" } } };
  return {
    listTools: async () => ({
      tools: [
        { name: "read", inputSchema, annotations: { readOnlyHint: true } },
        { name: "delete", inputSchema, annotations: { destructiveHint: true } },
        { name: "touch", inputSchema },
      ],
    }),
    callTool: async ({ name, arguments: given }) => {
      done.push(`${name} ${given?.path}`);
      return { content: [{ type: "text", text: `${name} done` }] };
    },
  };
}

const all = calls(...["read", "delete", "touch"].map((name) => call(name, { path: "/a" }, name)));

async function waiting(options: McpToolsOptions) {
  const done: string[] = [];
  const node = new AgenticToolsNode(await mcpTools(files(done), options));
  const app = new Chain<typeof all>().appendToolsNode(node).compile({ store: memoryStore() });
  const { interrupts } = await interruptOf(app.invoke(all, { checkpointId: "run" }));
  const ids = interrupts.map(({ id }) => id);
  return { app, done, ids, waits: interrupts.map(({ info }) => (info as { toolName: string }).toolName) };
}

describe("requireApproval of mcpTools", () => {
  const byName = { delete: true, touch: ({ path }: Readonly<Record<string, unknown>>) => path === "/a", read: false };
  it.each<[string, McpToolsOptions, string[]]>([
    ["for all tools", { requireApproval: true }, ["read", "delete", "touch"]],
    [
      "where a function of the input says so",
      { requireApproval: (input) => input.path === "/a" },
      ["read", "delete", "touch"],
    ],
    [
      "by what the server says of a tool",
      { requireApproval: (_input, _ctx, { annotations }) => annotations?.readOnlyHint !== true },
      ["delete", "touch"],
    ],
    ["by the call", { requireApproval: (_input, { toolName }) => toolName === "touch" }, ["touch"]],
    ["by name", { requireApproval: byName }, ["delete", "touch"]],
  ])("asks before anything is sent: %s", async (_how, options, expected) => {
    const { app, done, ids, waits } = await waiting(options);
    expect(waits).toEqual(expected);
    expect(done).toHaveLength(3 - expected.length);
    const answers = Object.fromEntries(ids.map((id) => [id, { approved: true, arguments: { path: "/b" } }]));
    expect(textsOf(await app.resume("run", answers))).toEqual(["read done", "delete done", "touch done"]);
    expect(done.filter((line) => line.endsWith("/b")).sort()).toEqual(expected.map((name) => `${name} /b`).sort());
  });

  it("refuses a name that no tool has, because its calls would run unasked", async () => {
    const error = await rejection(mcpTools(files([]), { requireApproval: { remove: true } }));
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(String(error)).toContain('names "remove", which is not a tool. Tools: read, delete, touch.');
  });

  it.each([["yes"], [null], [{ read: "yes" }], [["read"]]])("refuses %j", async (given) => {
    expect(await rejection(mcpTools(files([]), { requireApproval: given as never }))).toMatchObject({
      code: "INVALID_OPTION",
    });
  });
});
