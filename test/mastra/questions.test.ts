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
