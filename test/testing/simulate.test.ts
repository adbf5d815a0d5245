import { execFile, spawn } from "node:child_process";
import { pbkdf2, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { batch, Chain, memoryCache, sleep } from "kumiko";
import { cacheStoreConformance, simulate } from "kumiko/testing";
import { describe, expect, it } from "vitest";

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

describe("the time limit of a node counts no time while something goes on", () => {
  const turns = async () => {
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  };
  const work: Readonly<Record<string, () => Promise<unknown>>> = {
    "turns of the event loop": turns,
    "a hash": () => crypto.subtle.digest("SHA-256", new Uint8Array(20_000_000)),
    "a derived key": () => promisify(pbkdf2)("a", "b", 50_000, 64, "sha512"),
    "random bytes": async () => promisify(randomBytes)(5_000_000),
    compression: () => promisify(gzip)(Buffer.alloc(5_000_000)),
    "a compressed stream": () =>
      new Response(new Blob(["x".repeat(2_000_000)]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
    "a file, after a hash, after turns": async () => {
      await turns();
      await crypto.subtle.digest("SHA-256", new Uint8Array(5_000_000));
      await readFile(new URL(import.meta.url));
      await turns();
    },
    "a process": () => promisify(execFile)(process.execPath, ["-e", ""]),
    "a request to a server": async () => {
      const server = createServer((_request, response) => setImmediate(() => response.end("x")));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      const text = await (await fetch(`http://127.0.0.1:${port}`)).text();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      return text;
    },
  };

  it.each(Object.keys(work))("in %s", async (name) => {
    await simulate(async ({ runtime, now }) => {
      const app = new Chain<number>()
        .append(async () => void (await work[name]?.()), { timeoutMs: 1 })
        .append(() => "done", { timeoutMs: 1 })
        .compile({ runtime });
      expect(await app.invoke(1)).toBe("done");
      expect(now()).toBe(0);
    });
  });

  it("but jumps beside a timer that another part of the program sets again and again", async () => {
    let isOver = false;
    const ticking = (async () => {
      while (!isOver) await new Promise((resolve) => setTimeout(resolve, 1));
    })();
    const run = simulate(({ runtime }) => new Chain<string>().append(sleep(1_000)).compile({ runtime }).invoke("a"));
    expect(await run).toBe("a");
    isOver = true;
    await ticking;
  });

  it("and several simulations at once do not hold each other up", async () => {
    const one = () =>
      simulate(({ runtime, advance }) => {
        const app = new Chain<string>().append(sleep(500)).append(sleep(500)).compile({ runtime });
        return Promise.all([app.invoke("a"), advance(2_000), advance(100)]);
      });
    const guard = new Promise((_resolve, reject) => setTimeout(reject, 1_500, new Error("held up")).unref());
    await Promise.race([Promise.all([one(), one(), one()]), guard]);
  });

  it("and passes where a node waits for nothing but time", async () => {
    await simulate(async ({ runtime, now }) => {
      const never = () => new Promise<string>(() => {});
      const app = new Chain<string>().append(never, { timeoutMs: 3_600_000 }).compile({ runtime });
      await expect(app.invoke("a")).rejects.toMatchObject({ code: "NODE_TIMED_OUT" });
      expect(now()).toBe(3_600_000);
    });
  });

  it("and passes where a node asks again and again whether it has passed", async () => {
    await simulate(async ({ runtime, now }) => {
      const poll = async () => {
        while (now() < 1_000) await new Promise(setImmediate);
      };
      const app = new Chain<string>().append(poll).compile({ runtime });
      runtime.clock.setTimer(() => undefined, 1_000);
      await app.invoke("a");
    });
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
