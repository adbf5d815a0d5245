import type { RunOptions } from "../../compose/options.js";
import { type ConformanceCheck, expectSame, expectThat, rejectionOf, soon, turns } from "../conformance.js";
import { deepEqual } from "../deep-equal.js";
import { type RecordingHandler, recordingHandler } from "../recording-handler.js";
import { type Checks, modes, type RunnableMode, type Subject } from "./subject.js";

/** Checks that handlers are notified once of the start and the end of each run, whatever the outcome. */
export function handlerChecks<I, O>(check: Checks<I, O>): ConformanceCheck[] {
  return modes.flatMap((mode) => [
    check(`${mode} notifies a handler of each start and each end once`, async (subject) => {
      const recorder = recordingHandler();
      await soon(subject.run(mode, { callbacks: [recorder] }), mode);
      await turns();
      expectOnce(recorder, ["onEnd"]);
    }),
    check(`${mode} notifies a handler of streams of each start and each end once`, async (subject) => {
      const recorder = recordingHandler({ streams: true });
      await soon(subject.run(mode, { callbacks: [recorder] }), mode);
      await soon(recorder.settled(), "The copies of the handler");
      expectOnce(recorder, ["onEnd", "onEndWithStreamOutput"]);
    }),
    check(`${mode} that fails ends each run once, the outermost with onError`, async (subject) => {
      subject.failure = new Error("work has failed");
      const recorder = await recordFailure(subject, mode, {});
      expectOnce(recorder, ["onEnd", "onError"]);
      expectThat(recorder.events.at(-1)?.timing === "onError", "The last event is not onError.");
    }),
    check(`${mode} that is aborted ends each run once, the outermost with the reason`, async (subject) => {
      const controller = new AbortController();
      const reason = new Error("stop");
      subject.hold();
      const recording = recordFailure(subject, mode, { signal: controller.signal });
      await turns();
      controller.abort(reason);
      const recorder = await recording;
      expectOnce(recorder, ["onEnd", "onError"]);
      expectSame(recorder.events.at(-1)?.value, reason, "The value of the last event");
      subject.release();
    }),
    check(`${mode} passes its output to handlers`, async (subject) => {
      const recorder = recordingHandler();
      const output = await soon(subject.run(mode, { callbacks: [recorder] }), mode);
      await turns();
      const heard = recorder.events.filter(({ timing }) => timing === "onEnd").at(-1)?.value;
      expectThat(deepEqual(heard, output), "The outermost onEnd has another value than the run.");
    }),
  ]);
}

async function recordFailure<I, O>(
  subject: Subject<I, O>,
  mode: RunnableMode,
  options: RunOptions,
): Promise<RecordingHandler> {
  const recorder = recordingHandler();
  await rejectionOf(subject.run(mode, { ...options, callbacks: [recorder] }), mode);
  return recorder;
}

/** Expects that every run starts once and ends once, with one of these timings. */
function expectOnce(recorder: RecordingHandler, ends: readonly string[]): void {
  const started = new Set<string>();
  const ended = new Set<string>();
  for (const { timing, info } of recorder.events) {
    const isStart = timing === "onStart" || timing === "onStartWithStreamInput";
    if (timing === "onEvent") continue;
    const runs = isStart ? started : ended;
    expectThat(isStart || ends.includes(timing), `"${info.name}" (${info.component}) ends with ${timing}.`);
    expectThat(
      !runs.has(info.runId),
      `"${info.name}" (${info.component}) has more than one ${isStart ? "start" : "end"}.`,
    );
    expectThat(isStart || started.has(info.runId), `"${info.name}" (${info.component}) ends before it starts.`);
    runs.add(info.runId);
  }
  expectThat(started.size > 0, "The handler was not called for any run.");
  const [open] = recorder.unfinished();
  expectThat(open === undefined, `"${open?.name}" (${open?.component}) starts and never ends.`);
}
