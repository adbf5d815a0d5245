import { recordingHandler } from "kumiko/testing";
import { describe, expect, it, vi } from "vitest";
import { failing, inTime, policyApp, streamed, turns } from "./policy-app.js";

const modes = ["invoke", "stream"] as const;

describe.each(modes)("retry in %s", (mode) => {
  const run = (app: ReturnType<typeof policyApp>["app"], options?: object): Promise<string> =>
    mode === "invoke" ? app.invoke("a", options) : streamed(app, "a", options);

  it("tries a node again until it gives something", async () => {
    const { work, seen } = failing(2);
    const { app, clock } = policyApp(work, { retry: true });
    expect(await inTime(clock, run(app))).toBe("a");
    expect(seen).toEqual([1, 2, 3]);
  });

  it("waits twice as long each time, by default from half a second on", async () => {
    const { work } = failing(3);
    const { app, clock } = policyApp(work, { retry: { attempts: 4 } });
    await inTime(clock, run(app));
    expect(clock.now()).toBe(500 + 1_000 + 2_000);
  });

  it("fails with the error of the last attempt", async () => {
    let count = 0;
    const { app, clock } = policyApp(
      () => {
        throw new Error(`failure ${++count}`);
      },
      { retry: { attempts: 2, delayMs: 0 } },
    );
    await expect(inTime(clock, run(app))).rejects.toMatchObject({
      code: "NODE_FAILED",
      nodePath: ["work"],
      cause: { message: "failure 2" },
    });
  });

  it("asks retryOn about what was thrown", async () => {
    const asked: unknown[] = [];
    const { work, seen } = failing(9);
    const retryOn = (error: unknown, { attempt }: { attempt: number }): boolean => {
      asked.push([(error as Error).message, attempt]);
      return attempt < 2;
    };
    const { app, clock } = policyApp(work, { retry: { attempts: 5, retryOn } });
    await expect(inTime(clock, run(app))).rejects.toMatchObject({ code: "NODE_FAILED" });
    expect(asked).toEqual([
      ["not yet", 1],
      ["not yet", 2],
    ]);
    expect(seen).toEqual([1, 2]);
  });

  it("waits as long as a service asks, and not at all when that is too long", async () => {
    const asks = (seconds: number) => () =>
      Object.assign(new Error("busy"), { status: 429, headers: { "retry-after": seconds } });
    const short = policyApp(failing(1, asks(7)).work, { retry: true });
    await inTime(short.clock, run(short.app));
    expect(short.clock.now()).toBe(7_000);
    const long = policyApp(failing(1, asks(60)).work, { retry: true });
    await expect(inTime(long.clock, run(long.app))).rejects.toMatchObject({ cause: { message: "busy" } });
    expect(long.clock.now()).toBe(0);
  });

  it("gives each attempt the same input and a signal of its own", async () => {
    const seen: [string, AbortSignal][] = [];
    const { app, clock } = policyApp(
      (text, { signal }) => {
        seen.push([text, signal]);
        if (seen.length < 3) throw new Error("not yet");
        return text;
      },
      { retry: true },
    );
    await inTime(clock, run(app));
    expect(seen.map(([text]) => text)).toEqual(["a", "a", "a"]);
    expect(new Set(seen.map(([, signal]) => signal)).size).toBe(3);
    expect(seen.map(([, signal]) => signal.aborted)).toEqual([true, true, false]);
  });

  it("remembers what `once` gave", async () => {
    let made = 0;
    let count = 0;
    const { app, clock } = policyApp(
      async (text, ctx) => {
        const value = await ctx.once("made", () => ++made);
        if (++count < 3) throw new Error("not yet");
        return `${text}${value}`;
      },
      { retry: true },
    );
    expect(await inTime(clock, run(app))).toBe("a1");
    expect(made).toBe(1);
  });

  it("starts and ends once for handlers, and tells each further attempt", async () => {
    const handler = recordingHandler();
    const { app, clock } = policyApp(failing(1).work, { retry: { jitter: false } });
    await inTime(clock, run(app, { callbacks: [handler] }));
    const node = handler.events.filter(({ info }) => info.name === "work").map(({ timing }) => timing);
    expect(node.filter((timing) => timing === "onStart")).toHaveLength(1);
    expect(node).toContain("onEvent");
  });

  it("ends a delay when the run is aborted", async () => {
    const { work, seen } = failing(9);
    const { app, clock } = policyApp(work, { retry: true });
    const stop = new AbortController();
    const result = run(app, { signal: stop.signal });
    result.catch(() => undefined);
    await vi.waitFor(() => expect(clock.nextTimer).toBeDefined());
    stop.abort(new Error("enough"));
    await expect(result).rejects.toThrow("enough");
    await turns();
    expect(seen).toEqual([1]);
    expect(clock.nextTimer).toBeUndefined();
  });
});

it("is on for all nodes with nodeDefaults, and off with false", async () => {
  const on = failing(1);
  const defaults = { nodeDefaults: { retry: true } } as const;
  const first = policyApp(on.work, {}, defaults);
  expect(await inTime(first.clock, first.app.invoke("a"))).toBe("a");
  const off = failing(1);
  const second = policyApp(off.work, { retry: false }, defaults);
  await expect(second.app.invoke("a")).rejects.toMatchObject({ code: "NODE_FAILED" });
});
