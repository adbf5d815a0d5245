import { createStep, createTool } from "kumiko/mastra";
import { expect, it } from "vitest";
import { z } from "zod";
import { registered, step, workflow } from "./workflows.js";

/** A schema that counts how often it is converted. */
function countingSchema() {
  const counts = { conversions: 0 };
  const convert = (): object => {
    counts.conversions++;
    // as the schemas of zod give it: it would pass for a schema of its own
    return Object.defineProperty({ type: "object" }, "~standard", { value: schema["~standard"] });
  };
  const schema = {
    "~standard": {
      version: 1 as const,
      vendor: "own",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: convert, output: convert },
    },
  };
  return { schema, counts };
}

it("converts the schema of its answers once, however often a step is suspended", async () => {
  const { schema, counts } = countingSchema();
  const flow = registered(
    workflow().then(
      step("ask", ({ resumeData, suspend }) => resumeData ?? suspend({ question: "sure?" }), { resumeSchema: schema }),
    ),
  );
  for (const answer of [1, 2, 3]) {
    const run = flow.createRun();
    const stopped = await run.start({ inputData: 1 });
    expect(stopped).toMatchObject({ status: "suspended", interrupts: [{ schema: { type: "object" } }] });
    expect(await run.resume({ resumeData: { answer } })).toMatchObject({ status: "success", result: { answer } });
  }
  expect(counts.conversions).toBe(1);
});

it.each([
  ["converts what it gets", z.coerce.number(), "5", 5],
  ["prepares it first", z.preprocess((value) => String(value).length, z.number()), "four", 4],
  ["has a value for what does not fit", z.object({ copies: z.number().catch(1) }), { copies: "many" }, { copies: 1 }],
])("takes an answer that its step's schema takes: a schema that %s", async (_what, resumeSchema, answer, taken) => {
  const flow = registered(
    workflow().then(step("ask", ({ resumeData, suspend }) => resumeData ?? suspend({}), { resumeSchema })),
  );
  const run = flow.createRun();
  await run.start({ inputData: 1 });
  // its JSON Schema, by which those answer who have no more of it, takes numbers only
  expect(await run.resume({ resumeData: answer })).toMatchObject({ status: "success", result: taken });
});

it("asks again after an answer that its step's schema does not take", async () => {
  const resumeSchema = z.object({ sure: z.boolean() });
  const flow = registered(
    workflow().then(step("ask", ({ resumeData, suspend }) => resumeData ?? suspend({}), { resumeSchema })),
  );
  const run = flow.createRun();
  await run.start({ inputData: 1 });
  await expect(run.resume({ resumeData: { sure: "yes" } })).rejects.toMatchObject({ code: "ANSWER_MISMATCH" });
  expect(await run.resume({ resumeData: { sure: true } })).toMatchObject({ status: "success", result: { sure: true } });
});

it.each([0, 1])("names the step that asks inside the items of a list, with %i retries", async (attempts) => {
  const inputSchema = z.object({ n: z.number() });
  const execute = async ({ n }: { n: number }) => n * 2;
  const double = createTool({ id: "double", description: "", inputSchema, requireApproval: true, execute });
  const inner = workflow("inner").then(createStep(double)).commit();
  const flow = registered(workflow("outer", { retryConfig: { attempts } }).foreach(inner as never, { concurrency: 2 }));
  const run = flow.createRun();
  let result = await run.start({ inputData: [{ n: 1 }, { n: 2 }] });
  expect(result).toMatchObject({ status: "suspended", suspended: [["inner", "double"]] });
  for (const { id } of result.status === "suspended" ? result.interrupts : []) {
    result = await run.resume({ interruptId: id, resumeData: { approved: true } });
  }
  expect(result).toMatchObject({ status: "success", result: [2, 4] });
});
