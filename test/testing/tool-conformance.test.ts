import { createTool, type Tool } from "kumiko";
import { toolInfo } from "kumiko/components";
import { toolConformance, toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const echo = createTool({
  id: "echo",
  description: "Echoes.",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => ({ text }),
});
const count = createTool({
  id: "count",
  description: "Counts.",
  inputSchema: { type: "object", properties: { to: { type: "number" } }, required: ["to"] },
  execute: async function* ({ to }) {
    for (let n = 1; n <= Number(to); n++) yield `${n} `;
  },
});
const byHand: Tool = {
  component: "tool",
  info: toolInfo({ name: "by_hand", description: "Written by hand." }),
  invoke: async (args) => args,
  async *stream(args) {
    yield* args;
  },
};

it("names the option with the arguments if the tool rejects them, and refuses unknown options", async () => {
  const checks = toolConformance(echo, { wrongArguments: "{}" });
  const failures = await Promise.all(
    checks.map(({ run }) =>
      run().then(
        () => [],
        (error: Error) => [error.message],
      ),
    ),
  );
  expect(failures.flat().length).toBeGreaterThan(3);
  for (const message of failures.flat()) {
    expect(message).toContain("do not fit its inputSchema");
    expect(message).toContain('called it with {}. Set the option "arguments" of toolConformance to JSON');
  }
  expect(() => toolConformance(echo, { args: "{}" } as object)).toThrow('Unknown option "args" of toolConformance.');
});

describe.each([
  { tool: "createTool", checks: toolConformance(echo, { arguments: '{"text":"x"}', wrongArguments: "{}" }) },
  {
    tool: "createTool with a generator",
    checks: toolConformance(count, { arguments: '{"to":3}', wrongArguments: '{"to":"x"}' }),
  },
  { tool: "by hand", checks: toolConformance(() => byHand, { arguments: '{"a":1}' }) },
])("a tool made $tool", ({ checks }) => {
  it.each(checks)("$name", ({ run }) => run());
});

describe("a tool that breaks a promise is found out", () => {
  const broken = (part: Partial<Tool>): Tool => ({
    component: "tool",
    info: toolInfo({ name: "broken" }),
    invoke: async () => "ok",
    ...part,
  });
  const failures = async (tool: Tool, options = {}): Promise<string[]> => {
    const failed: string[] = [];
    for (const { name, run } of toolConformance(tool, options)) await run().catch(() => failed.push(name));
    return failed;
  };

  it.each<[string, Tool]>([
    ["has a component, a name and a description", { component: "tool", info: toolInfo({ name: "broken" }) }],
    [
      "describes its arguments by the JSON Schema of an object, if it has any",
      broken({ info: { name: "a", description: "", toJsonSchema: () => ({ type: "string" }) } }),
    ],
    ["returns a string or a list of content parts", broken({ invoke: async () => ({ a: 1 }) as never })],
    ["returns a string or a list of content parts", broken({ invoke: () => "at once" as never })],
    [
      "streams the output of invoke in chunks",
      broken({
        async *stream() {
          yield "something else";
        },
      }),
    ],
  ])("%s", async (name, tool) => {
    expect(await failures(tool)).toContain(name);
  });

  it("rejects invalid arguments, and does not throw synchronously", async () => {
    const throwing = broken({
      invoke: () => {
        throw new Error("at once");
      },
    });
    expect(await failures(throwing, { wrongArguments: "{" })).toContain(
      "rejects invalid arguments, and does not throw synchronously",
    );
    expect(await failures(broken({}), { wrongArguments: "{" })).toEqual([
      "rejects invalid arguments, and does not throw synchronously",
    ]);
  });

  it("keeps concurrent calls apart", async () => {
    let calls = 0;
    expect(await failures(broken({ invoke: async () => String(calls++) }))).toContain("keeps concurrent calls apart");
    expect(await failures(broken({ invoke: async () => String(calls++) }), { repeatable: false })).toEqual([]);
  });
});

it("makes a context from the fields that matter", () => {
  const ctx = toolContext({ toolCallId: "c7", options: { depth: 1 } });
  expect(ctx).toMatchObject({ toolCallId: "c7", toolName: "tool", options: { depth: 1 } });
  expect(ctx.signal).toBe(ctx.abortSignal);
  expect(ctx.with({ toolName: "other" })).toMatchObject({ toolCallId: "c7", toolName: "other" });
});
