import { createStep, createWorkflow, Mastra, type StepParams } from "kumiko/mastra";
import { z } from "zod";

/** What steps take and give: assignable to any type, like the result of `JSON.parse`. */
type Untyped = ReturnType<typeof JSON.parse>;
type Execute = (params: StepParams<Untyped, Untyped, Untyped>) => unknown;

/** A step that takes and gives anything. */
export const step = (id: string, execute: Execute, more: object = {}) =>
  createStep({ id, inputSchema: z.any(), outputSchema: z.any(), ...more, execute: async (params) => execute(params) });

export const add = (id: string, amount = 1) => step(id, ({ inputData }) => inputData + amount);

export const failing = (id: string, message = "boom") =>
  step(id, () => {
    throw new Error(message);
  });

/** Waits for an answer, and gives it. */
export const asking = (id: string) =>
  step(
    id,
    ({ inputData, resumeData, suspend }) =>
      resumeData === undefined ? suspend({ ask: inputData }) : { got: resumeData },
    {
      resumeSchema: z.object({ ok: z.boolean() }),
    },
  );

export const workflow = (id = "flow", more: object = {}) =>
  createWorkflow({ id, inputSchema: z.any(), outputSchema: z.any(), ...more });

/** A committed workflow that a quiet Mastra knows. */
export function registered<W extends { commit(): object }>(given: W, options: object = {}): W {
  given.commit();
  new Mastra({ workflows: { given }, logger: false, ...options });
  return given;
}
