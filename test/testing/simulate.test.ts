import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { batch } from "../../src/compose/batch.js";
import { Chain } from "../../src/compose/chain.js";
import { memoryCache } from "../../src/compose/memory-cache.js";
import { sleep } from "../../src/compose/sleep.js";
import { cacheStoreConformance } from "../../src/testing/cache-store-conformance.js";
import { simulate } from "../../src/testing/simulate.js";

it("jumps over delays", async () => {
  await simulate(async ({ runtime, now }) => {
    let attempts = 0;
    const app = new Chain<string>()
      .append(
        (text) => {
          if (++attempts < 4) throw new Error("not yet");
          return text;
        },
        { retry: { attempts: 4, delayMs: 3_600_000, maxDelayMs: 9e9, jitter: false } },
      )
      .compile({ runtime });
    expect(await app.invoke("a")).toBe("a");
    expect(now()).toBe(7 * 3_600_000);
  });
});

it("lets time pass step by step, with what happens meanwhile", async () => {
  await simulate(async ({ runtime, advance, now }) => {
    const seen: number[] = [];
    const tick = (): void => {
      seen.push(now());
      runtime.clock.setTimer(async () => {
        await Promise.resolve();
        tick();
      }, 100);
    };
    tick();
    await advance(250);
    expect(seen).toEqual([0, 100, 200]);
    expect(now()).toBe(250);
  });
});

it("waits for real input and output before it jumps", async () => {
  await simulate(async ({ runtime }) => {
    const app = new Chain<string>().append((path) => readFile(path, "utf8"), { timeoutMs: 5 }).compile({ runtime });
    expect(await app.invoke(new URL(import.meta.url).pathname)).toContain("simulate");
  });
});

it("is not held up by what stays open", async () => {
  const { stdout } = await simulate(async ({ runtime }) => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    expect(await new Chain<string>().append(sleep(1_000)).compile({ runtime }).invoke("a")).toBe("a");
    child.kill();
    return child;
  });
  stdout.destroy();
});

it("is not held up by a timer that guards the test", async () => {
  const guards: ReturnType<typeof setTimeout>[] = [];
  const guarded = <T>(work: Promise<T>): Promise<T> => {
    const guard = new Promise<T>((_resolve, reject) => {
      guards.push(setTimeout(() => reject(new Error("hangs")), 20_000));
    });
    return Promise.race([work, guard]);
  };
  const run = simulate(({ runtime }) =>
    guarded(new Chain<string>().append(sleep(1_000)).append(sleep(1_000)).compile({ runtime }).invoke("a")),
  );
  expect(await guarded(run)).toBe("a");
  for (const guard of guards) clearTimeout(guard);
});

it("waits for timers of the machine before it jumps", async () => {
  await simulate(async ({ runtime }) => {
    const slow = (text: string) => new Promise<string>((resolve) => setTimeout(() => resolve(text), 20));
    const app = new Chain<string>().append(slow, { timeoutMs: 5 }).compile({ runtime });
    expect(await app.invoke("a")).toBe("a");
  });
});

it("rejects with what the test rejects with", async () => {
  await expect(simulate(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
});

it("simulates a batch", async () => {
  await simulate(async ({ runtime, now }) => {
    let count = 0;
    const app = new Chain<string>()
      .append((text) => {
        if (++count < 3) throw new Error("not yet");
        return text;
      })
      .compile({ runtime });
    expect(await batch(app, ["a"], { retry: { delayMs: 1_000, jitter: false } })).toEqual(["a"]);
    expect(now()).toBe(3_000);
  });
});

it.each(cacheStoreConformance(() => memoryCache()))("memoryCache $name", ({ run }) => run());

it("finds a cache that forgets nothing", async () => {
  const entries = new Map<string, Uint8Array>();
  const checks = cacheStoreConformance(() => ({
    get: async (key) => entries.get(key),
    set: async (key, data) => void entries.set(key, data),
    deletePrefix: async () => undefined,
  }));
  const outcomes = await Promise.allSettled(checks.map(({ run }) => run()));
  expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, true, true, false, false, true, false]);
});
