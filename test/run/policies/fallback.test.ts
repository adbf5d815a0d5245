import { isInterrupt, memoryStore, RunControl } from "kumiko";
import { describe, expect, it, vi } from "vitest";
import { failing, inTime, policyApp, streamed } from "./policy-app.js";

describe.each(["invoke", "stream"] as const)("fallback in %s", (mode) => {
  const run = (app: ReturnType<typeof policyApp>["app"]): Promise<string> =>
    mode === "invoke" ? app.invoke("a") : streamed(app, "a");

  it("gives the output instead, after the retries", async () => {
    const { app, clock } = policyApp(failing(9).work, {
      retry: { attempts: 2 },
      fallback: ({ node, input, error, attempts }) => `${node} ${input} ${error.code} ${attempts}`,
    });
    expect(await inTime(clock, run(app))).toBe("work a NODE_FAILED 2");
  });

  it("leaves nothing of a stream that failed in the middle", async () => {
    const { app } = policyApp(
      async function* (text) {
        yield text;
        throw new Error("cut");
      },
      { fallback: async ({ error }) => (error.cause as Error).message },
    );
    expect(await run(app)).toBe("cut");
  });

  it("replaces the error when it throws, with that as its cause", async () => {
    const { app } = policyApp(failing(9).work, {
      fallback: () => {
        throw new Error("no fallback");
      },
    });
    await expect(run(app)).rejects.toMatchObject({
      code: "NODE_FAILED",
      nodePath: ["work"],
      cause: { message: "no fallback", cause: { message: "not yet" } },
    });
  });

  it("is not asked about an interrupt", async () => {
    const { app } = policyApp(
      (_text, ctx) => ctx.ask("name", "who?"),
      { retry: true, fallback: () => "nobody" },
      { store: memoryStore() },
    );
    const asked =
      mode === "invoke" ? app.invoke("a", { checkpointId: "id" }) : streamed(app, "a", { checkpointId: "id" });
    const stopped = await asked.catch((error) => error);
    expect(isInterrupt(stopped)).toBe(true);
    expect(await app.resume("id", { [stopped.interrupts[0].id]: "somebody" })).toBe("somebody");
  });
});

/** Fails once in the middle of its stream. */
function cutOnce(): (text: string) => AsyncGenerator<string> {
  let count = 0;
  return async function* (text) {
    yield text;
    if (++count === 1) throw new Error("cut");
    yield "b";
  };
}

it("buffer lets a stream be retried that failed in the middle; without it what was read stays", async () => {
  const held = policyApp(cutOnce(), { retry: { buffer: true } });
  expect(await inTime(held.clock, streamed(held.app, "a"))).toBe("ab");
  const flowing = policyApp(cutOnce(), { retry: true });
  await expect(inTime(flowing.clock, streamed(flowing.app, "a"))).rejects.toMatchObject({ cause: { message: "cut" } });
});

it("a run on values retries a stream that failed in the middle, with and without buffer", async () => {
  const { app, clock } = policyApp(cutOnce(), { retry: true });
  expect(await inTime(clock, app.invoke("a"))).toBe("ab");
});

it("a stop ends a delay, and the node runs again when the run goes on", async () => {
  const { work, seen } = failing(1);
  const { app, clock } = policyApp(work, { retry: true }, { store: memoryStore() });
  const control = new RunControl();
  const run = app.invoke("a", { checkpointId: "id", control });
  run.catch(() => undefined);
  await vi.waitFor(() => expect(clock.nextTimer).toBeDefined());
  expect(seen).toEqual([1]);
  control.interrupt();
  const stopped = await run.catch((error) => error);
  expect(isInterrupt(stopped)).toBe(true);
  expect(clock.nextTimer).toBeUndefined();
  expect(await app.resume("id")).toBe("a");
  expect(seen).toEqual([1, 1]);
});
