import { expect, it } from "vitest";
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
