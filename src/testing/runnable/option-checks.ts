import type { RunOptions } from "../../compose/options.js";
import { type ConformanceCheck, expectSame, rejectionOf, soon } from "../conformance.js";
import { type Checks, modes, type RunnableMode } from "./subject.js";

/** Checks that options reach the work, and that invalid ones are rejected before anything runs. */
export function optionChecks<I, O>(check: Checks<I, O>): ConformanceCheck[] {
  const refused: readonly (readonly [what: string, options: object])[] = [
    ["an option that does not exist", { noSuchOption: 1 }],
    ["options for a kind that does not exist", { options: { noSuchKind: {} } }],
    ["a path that leads nowhere", { nodes: { "no such node": { options: {} } } }],
    ["a maxSteps below 1", { maxSteps: 0 }],
    ["a negative timeoutMs", { timeoutMs: -1 }],
    ["a key without a parent", { key: "child" }],
    ["a parent that is not a context", { parent: {} }],
  ];
  return [
    ...modes.map((mode) =>
      check(`${mode} passes a record of request values to the work`, async (subject) => {
        await soon(subject.run(mode, { requestContext: { user: "u-1" } }), mode);
        expectSame(subject.contexts[0]?.requestContext.get("user"), "u-1", "The value that the work finds");
      }),
    ),
    ...refused.flatMap(([what, options]) => modes.map((mode) => refusal(check, mode, what, options))),
  ];
}

function refusal<I, O>(check: Checks<I, O>, mode: RunnableMode, what: string, options: RunOptions): ConformanceCheck {
  return check(`${mode} rejects ${what} before anything runs`, async (subject) => {
    await rejectionOf(subject.run(mode, options), `${mode} with ${what}`);
    expectSame(subject.calls, 0, "Calls of work");
  });
}
