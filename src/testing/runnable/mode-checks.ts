import { type ConformanceCheck, expectSame, expectThat, rejectionOf, soon } from "../conformance.js";
import { type Checks, modes } from "./subject.js";

/** Checks that all four modes have the same output and the same failure, and that runs are independent. */
export function modeChecks<I, O>(check: Checks<I, O>): ConformanceCheck[] {
  return [
    ...modes.map((mode) =>
      check(`${mode} returns the output`, async (subject) => {
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
          `${mode} rejects with an error whose causes do not include the original one.`,
        );
      }),
    ),
    check("concurrent runs each return their output", async (subject) => {
      subject.hold();
      const outputs = Promise.all(modes.map((mode) => subject.run(mode)));
      await soon(callsReach(subject, modes.length), "Starting four concurrent runs");
      subject.release();
      for (const output of await soon(outputs, "Four concurrent runs"))
        subject.expectOutput(output, "A concurrent run");
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
