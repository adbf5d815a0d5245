import { type ConformanceCheck, expectSame, expectThat, rejectionOf, turns } from "../conformance.js";
import { recordingHandler } from "../recording-handler.js";
import { type Checks, modes } from "./subject.js";

/** Checks for aborts and time limits. */
export function stopChecks<I, O>(check: Checks<I, O>): ConformanceCheck[] {
  return modes.flatMap((mode) => [
    check(`${mode} with an aborted signal calls nothing and rejects with the reason`, async (subject) => {
      const reason = new Error("stop");
      const recorder = recordingHandler();
      const options = { signal: AbortSignal.abort(reason), callbacks: [recorder] };
      expectSame(await rejectionOf(subject.run(mode, options), mode), reason, "The rejection");
      expectSame(subject.calls, 0, "Calls of work");
      expectSame(recorder.events.length, 0, "Calls of the handler");
    }),
    check(`${mode} rejects with the reason at the abort, even if the work continues`, async (subject) => {
      const controller = new AbortController();
      const reason = new Error("stop");
      subject.hold();
      const run = subject.run(mode, { signal: controller.signal });
      await Promise.race([turns(), run.catch(() => undefined)]);
      controller.abort(reason);
      expectSame(await rejectionOf(run, mode), reason, "The rejection");
      expectSame(subject.signals[0]?.reason, reason, "The reason of the signal that the work has");
      subject.release();
    }),
    check(`${mode} rejects with a TimeoutError after timeoutMs`, async (subject) => {
      subject.hold();
      const error = await rejectionOf(subject.run(mode, { timeoutMs: 1 }), `${mode} with a timeoutMs of 1`);
      expectThat(
        error instanceof DOMException && error.name === "TimeoutError",
        "The rejection is not a TimeoutError.",
      );
      expectSame(subject.signals[0]?.reason, error, "The reason of the signal that the work has");
      subject.release();
    }),
    check(`${mode} leaves no listener on the signal`, async (subject) => {
      const { signal, listeners } = countedSignal();
      await subject.run(mode, { signal });
      expectSame(listeners(), 0, "Listeners on the signal after the run");
    }),
  ]);
}

/** A signal that counts its listeners. */
function countedSignal(): { readonly signal: AbortSignal; readonly listeners: () => number } {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  Object.defineProperty(signal, "addEventListener", {
    value(...args: Parameters<AbortSignal["addEventListener"]>) {
      listeners.add(args[1]);
      addEventListener.apply(signal, args);
    },
  });
  Object.defineProperty(signal, "removeEventListener", {
    value(...args: Parameters<AbortSignal["removeEventListener"]>) {
      listeners.delete(args[1]);
      removeEventListener.apply(signal, args);
    },
  });
  return { signal, listeners: () => listeners.size };
}
