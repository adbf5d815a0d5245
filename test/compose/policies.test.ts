import { Graph, KumikoError, memoryCache, passthrough } from "kumiko";
import { defaultRetryOn } from "kumiko/compose";
import { describe, expect, it } from "vitest";
import { plain, thrownBy } from "./thrown-by.js";

const added = (options: object): KumikoError =>
  thrownBy(() => new Graph<string, string>().addNode("work", (text: string) => text, plain(options)));

describe("policies of a node", () => {
  it.each([
    [{ retry: { attempts: 0 } }, 'node "work": retry.attempts must be a whole number of at least 1 (got 0)'],
    [{ retry: { attempts: 1.5 } }, "retry.attempts"],
    [{ retry: { delayMs: -1 } }, "retry.delayMs"],
    [{ retry: { factor: 0.5 } }, "retry.factor"],
    [{ retry: { maxDelayMs: Number.NaN } }, "retry.maxDelayMs"],
    [{ retry: { jitter: 1 } }, "retry.jitter must be true or false"],
    [{ retry: { retryOn: true } }, "retry.retryOn must be a function"],
    [{ retry: { times: 3 } }, 'Unknown option "times" of retry of node "work"'],
    [{ retry: 3 }, "retry must be true, false or an object"],
    [{ timeoutMs: 0 }, "timeoutMs must be a number above 0, or false (got 0)"],
    [{ timeoutMs: true }, "timeoutMs"],
    [{ idleTimeoutMs: Number.POSITIVE_INFINITY }, "idleTimeoutMs"],
    [{ cache: { ttlMs: 0 } }, "cache.ttlMs must be a number above 0"],
    [{ cache: { store: {} } }, "cache.store must be a CacheStore"],
    [{ cache: { version: 2 } }, "cache.version must be a string"],
    [{ cache: { constructor: 2 } }, 'Unknown option "constructor" of cache'],
    [{ fallback: "sorry" }, "fallback must be a function"],
  ])("refuse %j when the node is added, naming node and option", (options, message) => {
    const error = added(options);
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.nodePath).toEqual(["work"]);
    expect(error.message).toContain(message);
  });

  it("may be turned off", () => {
    const options = { retry: false, timeoutMs: false, idleTimeoutMs: false, cache: false } as const;
    const graph = new Graph<string, string>().addNode("work", (text: string) => text, options);
    expect(() => graph.addEdge("start", "work").addEdge("work", "end").compile()).not.toThrow();
  });

  it("need a store, where outputs are cached", () => {
    const graph = new Graph<string, string>().addNode("work", (text: string) => text, { cache: true });
    const error = thrownBy(() => graph.addEdge("start", "work").addEdge("work", "end").compile());
    expect(error.message).toContain('node "work": cache has no store');
  });

  it("are not for a passthrough", () => {
    const graph = new Graph<string, string>().addNode("work", passthrough<string>(), { retry: true });
    const error = thrownBy(() => graph.addEdge("start", "work").addEdge("work", "end").compile());
    expect(error.message).toContain("a passthrough calls nothing, so retry has no effect");
  });
});

describe("nodeDefaults", () => {
  const compiled = (nodeDefaults: unknown): KumikoError =>
    thrownBy(() =>
      new Graph<string, string>().addEdge("start", "end").compile({ nodeDefaults: nodeDefaults as { retry: true } }),
    );

  it("refuse what is no policy, or not for all nodes", () => {
    expect(compiled(true).message).toContain("nodeDefaults must be an object");
    expect(compiled({ fallback: () => "" }).message).toContain('Unknown option "fallback" of nodeDefaults');
    expect(compiled({ retry: { attempts: 0 } }).message).toContain("nodeDefaults: retry.attempts must be");
  });

  it("leave tools nodes and graphs out where they try again", async () => {
    let count = 0;
    const inner = new Graph<string, string>()
      .addNode("deep", (_text: string): string => {
        count++;
        throw new Error("broken");
      })
      .addEdge("start", "deep")
      .addEdge("deep", "end");
    const app = new Graph<string, string>()
      .addNode("inner", inner)
      .addEdge("start", "inner")
      .addEdge("inner", "end")
      .compile({ nodeDefaults: { retry: { delayMs: 0 } } });
    await expect(app.invoke("a")).rejects.toMatchObject({ nodePath: ["inner", "deep"] });
    expect(count).toBe(1);
  });
});

describe("memoryCache", () => {
  it("forgets what was used least recently", async () => {
    const cache = memoryCache({ maxEntries: 2 });
    const data = Uint8Array.of(1);
    await cache.set("a", data);
    await cache.set("b", data);
    await cache.get("a");
    await cache.set("c", data);
    expect([await cache.get("a"), await cache.get("b"), await cache.get("c")]).toEqual([data, undefined, data]);
    expect(thrownBy(() => memoryCache({ maxEntries: 0 })).code).toBe("INVALID_OPTION");
  });
});

describe("defaultRetryOn", () => {
  const failed = (cause: unknown): KumikoError => new KumikoError("NODE_FAILED", "failed", { cause });
  it.each<readonly [unknown, boolean]>([
    [new Error("anything"), true],
    ["a text", true],
    [undefined, true],
    [Object.assign(new Error("x"), { status: 400 }), false],
    [Object.assign(new Error("x"), { statusCode: 404 }), false],
    ...[408, 409, 425, 429, 500, 503].map((status) => [Object.assign(new Error("x"), { status }), true] as const),
    [Object.assign(new Error("x"), { status: 400, isRetryable: true }), true],
    [Object.assign(new Error("x"), { status: 503, isRetryable: false }), false],
    [new TypeError("x is undefined"), false],
    [new TypeError("fetch failed"), true],
    [new RangeError("x"), false],
    [new SyntaxError("x"), false],
    [new ReferenceError("x"), false],
    [failed(new TypeError("x is undefined")), false],
    [failed(Object.assign(new Error("x"), { status: 401 })), false],
    [failed(new Error("x")), true],
    [new KumikoError("VALIDATION", "x"), false],
    [new KumikoError("CANNOT_MERGE", "x"), false],
    [new KumikoError("MISSING_INPUT_KEY", "x"), false],
    [new KumikoError("DUPLICATE_CHILD", "x"), false],
    [new KumikoError("NODE_TIMED_OUT", "x"), true],
    [new KumikoError("MODEL_FAILED", "x"), true],
  ])("says of %s: %s", (error, expected) => expect(defaultRetryOn(error)).toBe(expected));
});
