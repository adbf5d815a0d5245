import { type ConformanceCheck, checkedCase } from "./conformance.js";
import { childChecks } from "./runnable/child-checks.js";
import { handlerChecks } from "./runnable/handler-checks.js";
import { modeChecks } from "./runnable/mode-checks.js";
import { optionChecks } from "./runnable/option-checks.js";
import { stopChecks } from "./runnable/stop-checks.js";
import { streamChecks } from "./runnable/stream-checks.js";
import { type Checks, type MakeRunnable, type RunnableCase, Subject } from "./runnable/subject.js";

/**
 * Checks for a Runnable, for any test runner: the four modes agree, streams are lazy, runs can be aborted, handlers are notified
 * of each start and end once, options are applied or rejected, and child runs work.
 *
 * `make` is called for each check. The Runnable must call `work(ctx)` once in every run, and await it.
 *
 * @example
 * const checks = runnableConformance(
 *   (work) => lambda({ invoke: (text: string, ctx) => work(ctx).then(() => text.toUpperCase()) }),
 *   { input: "hello", output: "HELLO", chunks: ["hel", "lo"] },
 * );
 * for (const { run } of checks) await run();
 */
export function runnableConformance<I, O>(
  make: MakeRunnable<I, O>,
  runnableCase: RunnableCase<I, O>,
): ConformanceCheck[] {
  checkedCase("runnableConformance", make, runnableCase, { input: '"hello"', output: '"HELLO"' });
  const check: Checks<I, O> = (name, run) => ({ name, run: () => run(new Subject(make, runnableCase)) });
  return [
    ...modeChecks(check),
    ...streamChecks(check),
    ...stopChecks(check),
    ...handlerChecks(check),
    ...optionChecks(check),
    ...childChecks(check),
  ];
}
