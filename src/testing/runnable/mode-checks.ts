import { type ConformanceCheck, expectSame, expectThat, rejectionOf, soon } from "../conformance.js";
import { type Checks, modes } from "./subject.js";

/** The same output in all four modes, the same failure, and runs that do not know of each other. */
export function modeChecks<I, O>(check: Checks<I, O>): ConformanceCheck[] {
  return [
    ...modes.map((mode) =>
      check(`${mode} gives the output`, async (subject) => {
        subject.expectOutput(await soon(subject.run(mode), mode), mode);
      }),
    ),
    ...modes.map((mode) =>
      check(`${mode} runs once`, async (subject) => {
        await soon(subject.run(mode), mode);
        expectSame(subject.calls, 1, `Calls of work in ${mode}`);
      }),
    ),
    ...modes.map((mode) =>
      check(`${mode} fails with an error that leads to the cause`, async (subject) => {
        const cause = new Error("work has failed");
        subject.failure = cause;
        const error = await rejectionOf(subject.run(mode), mode);
        expectThat(
          causesOf(error).includes(cause),
          `${mode} rejects with an error that does not have the cause in it.`,
        );
      }),
    ),
    check("runs side by side each give their output", async (subject) => {
      subject.hold();
      const outputs = Promise.all(modes.map((mode) => subject.run(mode)));
      await soon(callsReach(subject, modes.length), "Starting four runs side by side");
      subject.release();
      for (const output of await soon(outputs, "Four runs side by side")) subject.expectOutput(output, "A run of four");
    }),
  ];
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let current = error; current !== undefined && !causes.includes(current); ) {
    causes.push(current);
    current = current instanceof Error ? current.cause : undefined;
  }
  return causes;
}

async function callsReach(subject: { readonly calls: number }, calls: number): Promise<void> {
  while (subject.calls < calls) await new Promise((resolve) => setTimeout(resolve, 0));
}
