import { type AgenticMessage, AgenticToolsNode, Chain, createTool, memoryStore, toolResultsOf } from "kumiko";
import type { AnyTool } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, message, questionsOf, rejection } from "./caller.js";

/** What a tool gives that stops once and is answered. */
async function answered(tool: AnyTool, answer: unknown): Promise<string | undefined> {
  const app = new Chain<AgenticMessage>()
    .appendToolsNode(new AgenticToolsNode({ tools: { t: tool }, onToolError: "result" }), { key: "tools" })
    .compile({ name: "app", store: memoryStore() });
  const [question] = await questionsOf(app.invoke(message(call("t")), { checkpointId: "x" }));
  const results = await app.resume("x", { [question?.id ?? ""]: answer });
  return results.flatMap(toolResultsOf)[0]?.result;
}

const base = { id: "t", description: "d" };
const times = z.object({ at: z.date(), more: z.array(z.date()).optional() });
const asJson = { at: "2026-01-02T03:04:05Z", more: ["2026-01-02T00:00:00Z"] };
const seen = "2026-01-02T03:04:05.000Z 2026-01-02T00:00:00.000Z";
const show = ({ at, more }: z.infer<typeof times>): string =>
  [at, ...(more ?? [])].map((date) => date.toISOString()).join(" ");

describe("answers for schemas with dates: they travel as texts, the tool gets dates", () => {
  it("of ctx.ask", async () => {
    const tool = createTool({ ...base, execute: async (_input, ctx) => show(await ctx.ask("when", {}, times)) });
    expect(await answered(tool, asJson)).toBe(seen);
  });

  it("of ctx.ask, where the whole answer is a date", async () => {
    const tool = createTool({
      ...base,
      execute: async (_input, ctx) => (await ctx.ask("when", {}, z.date())).toISOString(),
    });
    expect(await answered(tool, "2026-01-02T00:00:00+00:00")).toBe("2026-01-02T00:00:00.000Z");
  });

  it("of ctx.suspend with a resumeSchema", async () => {
    const tool = createTool({
      ...base,
      resumeSchema: times,
      execute: async (_input, { resumeData, suspend }) => (resumeData ? show(resumeData) : await suspend()),
    });
    expect(await answered(tool, asJson)).toBe(seen);
  });

  it("of an approval with edited arguments", async () => {
    const tool = createTool({
      ...base,
      inputSchema: times.partial(),
      requireApproval: true,
      execute: (input) => show(times.parse(input)),
    });
    expect(await answered(tool, { approved: true, arguments: asJson })).toBe(seen);
  });

  it("of a client tool", async () => {
    expect(await answered(createTool({ ...base, outputSchema: times }), asJson)).toBe(
      '{"at":"2026-01-02T03:04:05.000Z","more":["2026-01-02T00:00:00.000Z"]}',
    );
  });

  it("a text that is no date leaves the question open", async () => {
    const tool = createTool({ ...base, execute: async (_input, ctx) => show(await ctx.ask("when", {}, times)) });
    expect(String(await rejection(answered(tool, { at: "tomorrow" })))).toContain("at");
  });
});

describe("the answer for a client tool", () => {
  it("goes through its outputSchema once: defaults and transforms are not made twice", async () => {
    const outputSchema = z.object({
      count: z.number().default(3),
      words: z.string().transform((text) => text.split(" ")),
    });
    expect(await answered(createTool({ ...base, outputSchema }), { words: "a b" })).toBe(
      '{"count":3,"words":["a","b"]}',
    );
  });

  it("that does not fit is refused, and the question stands", async () => {
    const outputSchema = z.object({ count: z.number() });
    expect(await rejection(answered(createTool({ ...base, outputSchema }), { count: "three" }))).toMatchObject({
      code: "ANSWER_MISMATCH",
    });
  });
});
