import { Graph, lambda, Runtime, type StreamReader } from "kumiko";
import { manualClock, recordingHandler } from "kumiko/testing";
import { describe, expect, it, vi } from "vitest";
import { inTime, policyApp, streamed } from "./policy-app.js";

describe.each(["invoke", "stream"] as const)("time limits in %s", (mode) => {
  const run = (app: ReturnType<typeof policyApp>["app"], options?: object): Promise<string> =>
    mode === "invoke" ? app.invoke("a", options) : streamed(app, "a", options);

  it("end an attempt that ignores its signal", async () => {
    let signal: AbortSignal | undefined;
    const { app, clock } = policyApp(
      (_text, ctx) => {
        signal = ctx.signal;
        return new Promise<string>(() => undefined);
      },
      { timeoutMs: 100 },
    );
    await expect(inTime(clock, run(app))).rejects.toMatchObject({
      code: "NODE_TIMED_OUT",
      nodePath: ["work"],
      cause: { name: "TimeoutError" },
    });
    expect(clock.now()).toBe(100);
    expect(signal?.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("count for each attempt, and running out of time is retried", async () => {
    let count = 0;
    const { app, clock } = policyApp((text) => (++count < 3 ? new Promise<string>(() => undefined) : text), {
      timeoutMs: 100,
      retry: { delayMs: 10, factor: 1 },
    });
    expect(await inTime(clock, run(app))).toBe("a");
    expect(clock.now()).toBe(220);
  });

  it("tell a late result as an event, and a late rejection not at all", async () => {
    const handler = recordingHandler();
    let release: (text: string) => void = () => undefined;
    let refuse: (error: unknown) => void = () => undefined;
    let count = 0;
    const { app, clock } = policyApp(
      (text) => {
        count++;
        if (count === 1)
          return new Promise<string>((resolve) => {
            release = resolve;
          });
        if (count === 2)
          return new Promise<string>((_, reject) => {
            refuse = reject;
          });
        return text;
      },
      { timeoutMs: 100, retry: { delayMs: 0 } },
    );
    expect(await inTime(clock, run(app, { callbacks: [handler] }))).toBe("a");
    release("late");
    refuse(new Error("late"));
    const kinds = (): string[] =>
      handler.events.filter(({ timing }) => timing === "onEvent").map(({ value }) => (value as { kind: string }).kind);
    await vi.waitFor(() => expect(kinds()).toEqual(["retry", "retry", "late_result"]));
  });

  it("restart with a heartbeat, where they are about idleness", async () => {
    const { app, clock } = policyApp(
      async (text, { heartbeat, progress }) => {
        for (let n = 0; n < 3; n++) {
          await new Promise<void>((resolve) => void clock.setTimer(resolve, 80));
          if (n === 1) progress("half");
          else heartbeat();
        }
        return text;
      },
      { idleTimeoutMs: 100 },
    );
    expect(await inTime(clock, run(app))).toBe("a");
    expect(clock.now()).toBe(240);
  });

  it("restart with a chunk, and end a stream that stops", async () => {
    const { app, clock } = policyApp(
      async function* (text) {
        for (let n = 0; n < 3; n++) {
          await new Promise<void>((resolve) => void clock.setTimer(resolve, 80));
          yield text;
        }
        await new Promise(() => undefined);
      },
      { idleTimeoutMs: 100 },
    );
    await expect(inTime(clock, run(app))).rejects.toMatchObject({ code: "NODE_TIMED_OUT" });
    expect(clock.now()).toBe(340);
  });

  it("leave no timer behind", async () => {
    const { app, clock } = policyApp((text) => text, { timeoutMs: 100, idleTimeoutMs: 50 });
    expect(await run(app)).toBe("a");
    expect(clock.nextTimer).toBeUndefined();
  });
});

it("stand while nobody reads the stream", async () => {
  const { app, clock } = policyApp(
    async function* (text) {
      yield text;
      yield text;
    },
    { timeoutMs: 100, idleTimeoutMs: 100 },
  );
  const reader = app.stream("a")[Symbol.asyncIterator]();
  expect((await reader.next()).value).toBe("a");
  clock.advance(10_000);
  expect((await reader.next()).value).toBe("a");
  expect((await reader.next()).done).toBe(true);
});

describe.each(["timeoutMs", "idleTimeoutMs"] as const)("%s of a node that takes chunks", (limit) => {
  it.each(["invoke", "stream"] as const)("stands while it waits for its input (%s)", async (mode) => {
    const clock = manualClock();
    const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, ms));
    const build = (ownMs: number) =>
      new Graph<string, string>()
        .addNode("source", async function* (text: string) {
          for (let n = 0; n < 3; n++) {
            await wait(30);
            yield text;
          }
        })
        .addNode(
          "timed",
          lambda({
            transform: async function* (chunks: StreamReader<string>) {
              for await (const chunk of chunks) yield chunk;
              await wait(ownMs);
            },
          }),
          { [limit]: 20 },
        )
        .addEdge("start", "source")
        .addEdge("source", "timed")
        .addEdge("timed", "end")
        .compile({ runtime: new Runtime({ clock }) });
    const run = (ownMs: number): Promise<string> =>
      mode === "invoke" ? build(ownMs).invoke("a") : build(ownMs).stream("a").concat();
    expect(await inTime(clock, run(10))).toBe("aaa");
    await expect(inTime(clock, run(30))).rejects.toMatchObject({ code: "NODE_TIMED_OUT", nodePath: ["timed"] });
  });
});
