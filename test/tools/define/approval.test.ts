import { AgenticToolsNode, Chain, createTool, memoryStore } from "kumiko";
import type { AnyTool } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { questionOf } from "../../checkpoint/interrupt-of.js";
import { errorOf } from "../../run/rejected-by.js";
import { call, calls, textsOf } from "../node/calls.js";

const run = { checkpointId: "run" };

function appOf(tool: AnyTool) {
  return new Chain<ReturnType<typeof calls>>()
    .appendToolsNode(new AgenticToolsNode([tool]), { key: "tools" })
    .compile({ name: "app", store: memoryStore() });
}

interface Tree {
  name: string;
  children?: Tree[] | undefined;
}

const tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), children: z.array(tree).optional() }));

const place = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

const recursive: readonly [string, Pick<Parameters<typeof createTool>[0], "inputSchema">, object, object][] = [
  [
    "$defs",
    {
      inputSchema: {
        type: "object",
        properties: { to: { $ref: "#/$defs/place" } },
        $defs: { place },
        required: ["to"],
      },
    },
    { to: { city: "Kyoto" } },
    { to: { city: 7 } },
  ],
  [
    "definitions of draft-07, with a list of its kind",
    {
      inputSchema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        $id: "https://example.com/move.json",
        type: "object",
        properties: {
          to: { $ref: "#/definitions/place" },
          at: { type: "array", items: [{ type: "number" }, { type: "string" }] },
        },
        definitions: { place },
      },
    },
    { to: { city: "Kyoto" }, at: [1, "a"] },
    { at: [1, 2] },
  ],
  [
    "a schema that refers to itself",
    { inputSchema: z.object({ root: tree }) },
    { root: { name: "a", children: [{ name: "b" }] } },
    { root: { name: "a", children: [{ name: 7 }] } },
  ],
  [
    "a reference to the whole",
    { inputSchema: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#" } } } },
    { name: "a", next: { name: "b" } },
    { next: { next: { name: 1 } } },
  ],
];

describe("Edited arguments", () => {
  it.each(recursive)("are checked with the answer, and the question stands: %s", async (_what, schema, good, bad) => {
    const move = createTool({
      id: "move",
      description: "",
      ...schema,
      requireApproval: true,
      execute: (input) => input,
    });
    const app = appOf(move);
    const { id } = await questionOf(app.invoke(calls(call("move", good, "1")), run));
    const refused = await errorOf(app.resume("run", { [id]: { approved: true, arguments: bad } }));
    expect(refused.code).toBe("ANSWER_MISMATCH");
    expect(textsOf(await app.resume("run", { [id]: { approved: true, arguments: good } }))).toEqual([
      JSON.stringify(good),
    ]);
  });

  it("of a schema without a JSON form are checked by the schema when the call goes on", async () => {
    const validate = (value: unknown) =>
      (value as { n?: unknown }).n === 1 ? { value } : { issues: [{ message: "n must be 1" }] };
    const move = createTool({
      id: "move",
      description: "",
      inputSchema: { "~standard": { version: 1, vendor: "own", validate } },
      requireApproval: true,
      execute: () => "moved",
    });
    const app = appOf(move);
    const { id } = await questionOf(app.invoke(calls(call("move", { n: 1 }, "1")), run));
    const refused = await errorOf(app.resume("run", { [id]: { approved: true, arguments: { n: 2 } } }));
    expect(refused.message).toContain("n must be 1");
  });
});

it("a function that answers with something else than true or false counts as it does in a condition", async () => {
  const requireApproval = (() => "yes") as unknown as () => boolean;
  const pay = createTool({ id: "pay", description: "", requireApproval, execute: () => "paid" });
  const { info } = await questionOf(appOf(pay).invoke(calls(call("pay", {}, "1")), run));
  expect(info).toMatchObject({ kind: "tool_approval" });
});
