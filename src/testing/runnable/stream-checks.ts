import { pipe } from "../../schema/stream/pipe.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { type ConformanceCheck, expectSame, expectThat, rejectionOf, soon, turns } from "../conformance.js";
import { recordingHandler } from "../recording-handler.js";
import type { Checks, Subject } from "./subject.js";

const streaming = ["stream", "transform"] as const;
type Streaming = (typeof streaming)[number];

/** Checks for the streams that a Runnable returns. */
export function streamChecks<I, O>(check: Checks<I, O>): ConformanceCheck[] {
  return streaming.flatMap((mode) => [
    check(`${mode} returns a reader at once`, async (subject) => {
      const reader: unknown = open(subject, mode);
      expectThat(reader instanceof StreamReader, `${mode} does not return a StreamReader.`);
    }),
    check(`${mode} does nothing before the first read`, async (subject) => {
      open(subject, mode);
      await turns();
      expectSame(subject.calls, 0, `Calls of work before ${mode} is read`);
    }),
    check(`${mode} checks no option before the first read`, async (subject) => {
      const reader = open(subject, mode, { maxSteps: 0 });
      await rejectionOf(reader.concat(), `Reading ${mode} with a maxSteps of 0`);
    }),
    check(`${mode} that is cancelled before the first read runs nothing and calls no handler`, async (subject) => {
      const recorder = recordingHandler();
      const reader = open(subject, mode, { callbacks: [recorder] });
      await reader.cancel();
      await rejectionOf(reader.concat(), `Reading ${mode} after cancel`);
      await turns();
      expectSame(subject.calls, 0, "Calls of work");
      expectSame(recorder.events.length, 0, "Calls of the handler");
    }),
    check(`${mode} can be read once`, async (subject) => {
      const reader = open(subject, mode);
      await soon(reader.concat(), mode);
      await rejectionOf(reader.concat(), `Reading ${mode} for a second time`);
    }),
    check(`leaving ${mode} early aborts the signal with an AbortError`, async (subject) => {
      const { value } = await firstRead(subject, mode);
      expectThat(value instanceof DOMException && value.name === "AbortError", "The reason is not an AbortError.");
    }),
    check(`cancelling ${mode} aborts the signal with the reason`, async (subject) => {
      const reason = new Error("enough");
      const { value } = await firstRead(subject, mode, reason);
      expectSame(value, reason, "The reason of the signal");
    }),
    check(`cancelling ${mode} while it works does not wait for the work`, async (subject) => {
      subject.hold();
      const reader = open(subject, mode);
      reader.next().catch(() => undefined);
      await turns();
      await soon(reader.cancel(new Error("enough")), `Cancelling ${mode}`);
      expectThat(subject.signals[0]?.aborted === true, "The signal is not aborted.");
      subject.release();
    }),
    ...(mode === "transform" ? inputChecks(check) : []),
  ]);
}

/** Checks for the input stream. */
function inputChecks<I, O>(check: Checks<I, O>): ConformanceCheck[] {
  return [
    check("transform fails when its input fails", async ({ runnable }) => {
      const { reader, writer } = pipe<I>();
      writer.fail(new Error("the input has failed"));
      await rejectionOf(runnable.transform(reader).concat(), "transform of a stream that fails");
    }),
    check("transform stops its input when it is cancelled", async ({ runnable, case: { input } }) => {
      const { reader, writer } = pipe<I>();
      const output = runnable.transform(reader);
      output.next().catch(() => undefined);
      await writer.write(input);
      await output.cancel();
      expectSame(await soon(writer.write(input), "Writing on"), false, "Whether the input is still read");
    }),
    check(
      "transform stops its input when it is cancelled before the first read",
      async ({ runnable, case: { input } }) => {
        const { reader, writer } = pipe<I>();
        await runnable.transform(reader).cancel();
        expectSame(await soon(writer.write(input), "Writing on"), false, "Whether the input is still read");
      },
    ),
  ];
}

function open<I, O>(subject: Subject<I, O>, mode: Streaming, options?: object): StreamReader<O> {
  const { runnable, case: runnableCase } = subject;
  return mode === "stream"
    ? runnable.stream(runnableCase.input, options)
    : runnable.transform(subject.inputStream(), options);
}

/** Reads one chunk, cancels, and returns the abort reason of the run's signal. */
async function firstRead<I, O>(subject: Subject<I, O>, mode: Streaming, reason?: Error): Promise<{ value: unknown }> {
  const reader = open(subject, mode);
  await soon(reader.next(), `The first chunk of ${mode}`);
  await reader.cancel(reason);
  await turns();
  expectThat(subject.signals[0]?.aborted === true, `Leaving ${mode} early does not abort the signal.`);
  return { value: subject.signals[0]?.reason };
}
