import { consoleTracer, type Handler, RunEmitter, traceRecorder } from "kumiko";
import { handlerConformance, recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";

describe.each([
  ["consoleTracer", handlerConformance(() => consoleTracer({ write: () => undefined }))],
  ["traceRecorder", handlerConformance(() => traceRecorder())],
  ["RunEmitter", handlerConformance(() => new RunEmitter())],
  ["recordingHandler", handlerConformance(() => recordingHandler())],
  ["recordingHandler of streams", handlerConformance(() => recordingHandler({ streams: true }))],
  ["a handler of nothing", handlerConformance(() => ({}))],
])("handlerConformance holds for %s", (_name, checks) => {
  it.each(checks.map(({ name, run }) => [name, run] as const))("%s", async (_check, run) => {
    await run();
  });
});

const broken = (): never => {
  throw new Error("The exporter is broken.");
};
const onlyFor =
  (test: (error: unknown) => boolean) =>
  (_info: unknown, error: unknown): void => {
    if (test(error)) broken();
  };

/** For each check a handler that it must not let pass. */
const defects: Readonly<Record<string, () => Handler>> = {
  "handles a run that succeeds": () => ({ onEnd: broken }),
  "handles a run that fails": () => ({ onError: async () => broken() }),
  "handles a run that fails with something other than an Error": () => ({
    onError: (_info, error) => void (error as Error).cause?.toString().length.toFixed(),
    onEnd: broken,
  }),
  "handles a run that is aborted": () => ({ onError: onlyFor((error) => error instanceof DOMException) }),
  "handles a stream that is read to its end": () => ({ onEndWithStreamOutput: broken }),
  "handles an input stream": () => ({ onStartWithStreamInput: broken }),
  "handles a stream that is cancelled early": () => ({ onError: broken }),
  "handles a stream that fails": () => ({ onError: broken }),
  "handles side events": () => ({ onEvent: (_info, event) => JSON.stringify(event) }),
  "handles values that JSON cannot represent": () => ({ onEnd: (_info, value) => JSON.stringify(value) }),
  "handles concurrent runs": () => {
    const open: string[] = [];
    return {
      onStart: ({ runId }) => open.push(runId),
      onEnd: ({ runId }) => {
        if (open.pop() !== runId) broken();
      },
    };
  },
  "does not change values": () => ({
    onStart: (_info, value) => Object.assign(Object(value), { seen: true }),
  }),
};

describe("A check of handlerConformance refuses what it is there for", () => {
  it.each(handlerConformance(() => ({})).map(({ name }) => name))("%s", async (name) => {
    const make = defects[name];
    expect(make, "There is no defect for this check").toBeDefined();
    const checks = handlerConformance(make ?? (() => ({})));
    await expect(checks.find((check) => check.name === name)?.run()).rejects.toThrow();
  });

  it("says in which timing the handler throws", async () => {
    const [check] = handlerConformance(() => ({ onEnd: broken }));
    await expect(check?.run()).rejects.toThrow("The handler throws in onEnd: Error: The exporter is broken.");
  });
});
