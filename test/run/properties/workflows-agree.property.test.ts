import fc from "fast-check";
import { Graph, isInterrupt, memoryStore, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { limits, numberOfRuns, patience } from "../../number-of-runs.js";
import { buildWorkflow, input, type WorkflowSpec, workflowSpec } from "./random-workflow.js";

/** What a run gives, and which nodes have run. */
async function outcome(spec: WorkflowSpec, run: (flow: ReturnType<typeof buildWorkflow>) => Promise<unknown>) {
  const ran: string[] = [];
  const result = await run(buildWorkflow(spec, (key) => ran.push(key)));
  return { result: JSON.stringify(result), ran: ran.sort() };
}

const resultOf = async (spec: WorkflowSpec, run: (flow: ReturnType<typeof buildWorkflow>) => Promise<unknown>) =>
  (await outcome(spec, run)).result;

const watch = { onStart: () => undefined, onEndWithStreamOutput: () => undefined };

describe("Any workflow", () => {
  it("gives the same in every mode, watched, saved and nested", patience, async () => {
    await fc.assert(
      fc.asyncProperty(workflowSpec("value", "value", "stream"), async (spec) => {
        const plain = await outcome(spec, (flow) => flow.compile().invoke(input));
        expect(await resultOf(spec, (flow) => flow.compile().stream(input).concat())).toBe(plain.result);
        expect(await resultOf(spec, (flow) => flow.compile().collect(StreamReader.from([input])))).toBe(plain.result);
        expect(await outcome(spec, (flow) => flow.compile().invoke(input, { callbacks: [watch] }))).toEqual(plain);
        expect(
          await resultOf(spec, (flow) =>
            flow
              .compile()
              .stream(input, { callbacks: [watch] })
              .concat(),
          ),
        ).toBe(plain.result);
        for (const durability of ["exit", "step"] as const) {
          const saved = (flow: ReturnType<typeof buildWorkflow>) => flow.compile({ store: memoryStore(), durability });
          expect(await outcome(spec, (flow) => saved(flow).invoke(input, { checkpointId: "1" }))).toEqual(plain);
          expect(await resultOf(spec, (flow) => saved(flow).stream(input, { checkpointId: "1" }).concat())).toBe(
            plain.result,
          );
        }
        const nested = (flow: ReturnType<typeof buildWorkflow>) =>
          new Graph<typeof input, unknown>()
            .addNode("inner", flow)
            .addEdge("start", "inner")
            .addEdge("inner", "end")
            .compile();
        expect(await outcome(spec, (flow) => nested(flow).invoke(input))).toEqual(plain);
        expect(await resultOf(spec, (flow) => nested(flow).stream(input).concat())).toBe(plain.result);
      }),
      { numRuns: numberOfRuns(30), ...limits },
    );
  });

  it("goes on behind its questions as if each had been answered at once", patience, async () => {
    const one = fc.record({
      spec: workflowSpec("value", "stream", "asks", "asks"),
      durability: fc.constantFrom("exit" as const, "step" as const),
      streams: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(one, async ({ spec, durability, streams }) => {
        const answered = spec.map((node) => ({
          ...node,
          kind: node.kind === "asks" ? ("answered" as const) : node.kind,
        }));
        const plain = await outcome(answered, (flow) => flow.compile().invoke(input));
        const ran: string[] = [];
        const app = buildWorkflow(spec, (key) => ran.push(key)).compile({ store: memoryStore(), durability });
        const begin = () =>
          streams ? app.stream(input, { checkpointId: "1" }).concat() : app.invoke(input, { checkpointId: "1" });
        let result: unknown;
        for (let go = begin; ; ) {
          try {
            result = await go();
            break;
          } catch (error) {
            if (!isInterrupt(error)) throw error;
            const [first] = error.interrupts;
            const answers = { [first?.id ?? ""]: "yes" };
            go = () => (streams ? app.resumeStream("1", answers).concat() : app.resume("1", answers));
          }
        }
        expect(new Set(ran).size).toBe(ran.length);
        expect(JSON.stringify(result)).toBe(plain.result);
      }),
      { numRuns: numberOfRuns(50), ...limits },
    );
  });
});
