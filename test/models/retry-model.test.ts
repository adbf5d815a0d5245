import {
  type AgenticMessage,
  assistantMessage,
  concatMessages,
  END,
  Graph,
  KumikoError,
  lambda,
  memoryStore,
  runnable,
  START,
  textOf,
  traceRecorder,
} from "kumiko";
import { isRetryableModelError, type ModelRetryPolicy, retryModel } from "kumiko/models";
import { modelConformance, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { breaking, chunksOf, failureOf, httpError, piece, question } from "./attempts.js";
import { fakeProvider, saying } from "./fake-provider.js";

const atOnce: ModelRetryPolicy = { delayMs: 0 };
const hello = assistantMessage("Hello");
const always = () => hello;

describe("a retried model", () => {
  it.each(modelConformance(() => retryModel(scriptedModel(always, always)), { messages: question }))(
    "$name",
    ({ run }) => run(),
  );

  it("is asked again until it answers", async () => {
    const model = scriptedModel(httpError(429), httpError(503), hello);
    await expect(runnable(retryModel(model, atOnce)).invoke(question)).resolves.toEqual(hello);
    expect(model.calls).toHaveLength(3);
  });

  it("fails with the error of its last attempt, which says how often it was asked", async () => {
    const last = httpError(503);
    const model = scriptedModel(httpError(429), httpError(500), last, hello);
    const failure = await failureOf(runnable(retryModel(model, atOnce)).invoke(question));
    expect(failure).toMatchObject({ statusCode: 503, isRetryable: true, cause: last });
    expect((failure as Error).message).toBe("The model was asked 3 times. At last, it failed with: status 503.");
    expect(await failureOf(chunksOf(retryModel(scriptedModel(last), { ...atOnce, attempts: 1 })))).toBe(last);
  });

  it("is not asked again after what would fail again, or what retryOn leaves out", async () => {
    const wrong = httpError(400, { isRetryable: false });
    const model = scriptedModel(wrong, hello);
    expect(await failureOf(runnable(retryModel(model, atOnce)).invoke(question))).toBe(wrong);
    const seen: number[] = [];
    const retryOn = (_: unknown, { attempt }: { attempt: number }) => seen.push(attempt) < 2;
    await failureOf(runnable(retryModel(scriptedModel(wrong, wrong, hello), { ...atOnce, retryOn })).invoke(question));
    expect(seen).toEqual([1, 2]);
  });

  it.each([
    ["an error of this library", new KumikoError("EMPTY_STREAM", "Nothing."), { code: "EMPTY_STREAM" }],
    ["a time limit", new DOMException("Too slow.", "TimeoutError"), { name: "TimeoutError" }],
    ["a frozen error", Object.freeze(httpError(503)), { statusCode: 503 }],
  ])("stays %s that can be told apart", async (_name, error, fields) => {
    const answer = () => {
      throw error;
    };
    const failure = await failureOf(
      runnable(retryModel(scriptedModel(answer, answer), { ...atOnce, attempts: 2 })).invoke(question),
    );
    expect(failure).toMatchObject(fields);
    expect(isRetryableModelError(failure)).toBe(true);
    expect((failure as Error).message).toContain("asked 2 times");
  });

  it("says so when it is not asked again, because the service asks for a longer wait or the error is another one", async () => {
    const later = httpError(429, { responseHeaders: { "retry-after": "120" } });
    const waits = await failureOf(runnable(retryModel(scriptedModel(later), atOnce)).invoke(question));
    expect((waits as Error).message).toMatch(/asked once.*status 429\..*longer than maxDelayMs \(30000\)/);
    const wrong = httpError(400, { isRetryable: false });
    const model = scriptedModel(httpError(429), wrong);
    const twice = await failureOf(runnable(retryModel(model, atOnce)).invoke(question));
    expect((twice as Error).message).toBe("The model was asked 2 times. At last, it failed with: status 400.");
  });

  it("names retryOn if that throws", async () => {
    const retryOn = () => {
      throw new Error("no db");
    };
    const failure = await failureOf(runnable(retryModel(scriptedModel(httpError(429)), { retryOn })).invoke(question));
    expect((failure as Error).message).toMatch(/retryOn threw no db.*status 429/);
  });

  it("gets the options of its call", async () => {
    const model = scriptedModel(httpError(429), hello);
    await runnable(retryModel(model, atOnce)).invoke(question, { options: { model: { temperature: 0 } } });
    expect(model.calls.map(({ options }) => options)).toEqual([{ temperature: 0 }, { temperature: 0 }]);
  });

  it("takes a model of the AI SDK as it is", async () => {
    const model = fakeProvider([httpError(500), saying("Hello")]);
    expect(textOf(concatMessages(await chunksOf(retryModel(model, atOnce))))).toBe("Hello");
  });

  it("shows each attempt as a model run of its own, and tells handlers of each retry", async () => {
    const trace = traceRecorder();
    const events: unknown[] = [];
    const callbacks = [trace, { onEvent: (_: unknown, event: unknown) => events.push(event) }];
    await runnable(retryModel(scriptedModel(httpError(429), hello), atOnce)).invoke(question, { callbacks });
    const [root] = trace.toJSON().runs;
    expect(root).toMatchObject({ component: "model", type: "RetryModel", output: { message: hello } });
    expect(root?.children).toMatchObject([
      { component: "model", type: "ScriptedModel", error: expect.anything() },
      { component: "model", type: "ScriptedModel", output: { message: hello } },
    ]);
    expect(events).toMatchObject([{ kind: "retry", attempt: 1, delayMs: 0 }]);
  });

  it("does not try again once its run is stopped", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const model = scriptedModel(() => {
      stop.abort(reason);
      return httpError(503);
    }, hello);
    expect(await failureOf(runnable(retryModel(model, atOnce)).invoke(question, { signal: stop.signal }))).toBe(reason);
    expect(model.calls).toHaveLength(1);
  });

  it("ends its wait when its run is stopped", async () => {
    const stop = new AbortController();
    const callbacks = [{ onEvent: () => stop.abort(new Error("enough")) }];
    const model = retryModel(scriptedModel(httpError(503)), { delayMs: 1_000_000, maxDelayMs: 1_000_000 });
    const failure = await failureOf(runnable(model).invoke(question, { signal: stop.signal, callbacks }));
    expect(failure).toMatchObject({ message: "enough" });
  });

  it("asks nobody again after a crash: an answer is kept with its run", async () => {
    const model = scriptedModel(httpError(429), hello);
    const graph = new Graph<readonly AgenticMessage[], string>()
      .addModelNode("model", retryModel(model, atOnce))
      .addNode(
        "ask",
        async (message: AgenticMessage, ctx) => `${textOf(message)} ${await ctx.ask<string>("name", "Who?")}`,
      )
      .addEdge(START, "model")
      .addEdge("model", "ask")
      .addEdge("ask", END)
      .compile({ store: memoryStore(), durability: "step" });
    const error = await failureOf(graph.invoke(question, { checkpointId: "1" }));
    const [{ id }] = (error as { interrupts: [{ id: string }] }).interrupts;
    await expect(graph.resume("1", { [id]: "Kumiko" })).resolves.toBe("Hello Kumiko");
    expect(model.calls).toHaveLength(2);
  });
});

describe("a retried stream", () => {
  it("that fails before its first content is replaced unseen", async () => {
    const usage: AgenticMessage = { role: "assistant", contentBlocks: [], responseMeta: { model: "a/b" } };
    async function* silent(): AsyncGenerator<AgenticMessage, void> {
      yield usage;
      throw httpError(529);
    }
    const model = scriptedModel(
      () => silent(),
      () => breaking("Hel", "lo"),
    );
    expect(await chunksOf(retryModel(model, atOnce))).toEqual([piece("Hel"), piece("lo")]);
  });

  it("that fails after its first content rejects", async () => {
    const broken = httpError(529);
    const model = scriptedModel(() => breaking("Hel", broken), hello);
    expect(await failureOf(chunksOf(retryModel(model, atOnce)))).toBe(broken);
    expect(model.calls).toHaveLength(1);
  });

  it("begins again with a chunk that says so, where that is wanted", async () => {
    const model = scriptedModel(
      () => breaking("Hel", httpError(529)),
      () => breaking("Good ", "day"),
    );
    const chunks = await chunksOf(retryModel(model, { ...atOnce, afterContent: "restart" }));
    expect(chunks.map(({ restart = false }) => restart)).toEqual([false, true, false, false]);
    expect(concatMessages(chunks)).toEqual(assistantMessage("Good day"));
  });

  it("without content is given on whole", async () => {
    const empty: AgenticMessage = { role: "assistant", contentBlocks: [], responseMeta: { finishReason: "stop" } };
    expect(await chunksOf(retryModel(scriptedModel(empty), atOnce))).toEqual([empty]);
  });

  it("stops its attempt when it is left", async () => {
    let stopped = false;
    async function* endless(): AsyncGenerator<AgenticMessage, void> {
      try {
        for (;;) yield piece("a");
      } finally {
        stopped = true;
      }
    }
    for await (const _ of runnable(
      retryModel(
        scriptedModel(() => endless()),
        atOnce,
      ),
    ).stream(question))
      break;
    await Promise.resolve();
    expect(stopped).toBe(true);
  });
});

describe("the wait before a retry", () => {
  interface Timer {
    readonly ms: number;
    readonly run: () => void;
  }

  /** With a clock and a chance that stand still: which waits there were. */
  async function waitsOf(policy: ModelRetryPolicy, ...failures: Error[]): Promise<number[]> {
    const timers: Timer[] = [];
    const clock = {
      now: () => Date.UTC(2026, 0, 1),
      setTimer: (run: () => void, ms: number) => {
        timers.push({ ms, run });
        queueMicrotask(run);
      },
      clearTimer: () => undefined,
    };
    const model = retryModel(scriptedModel(...failures, hello), policy);
    const run = lambda({
      invoke: async (_: string, ctx) => ({
        answer: await model.generate(question, ctx.with({ runtime: { clock, random: () => 0.5 } }) as never),
      }),
    });
    await run.invoke("").catch(() => undefined);
    return timers.map(({ ms }) => ms);
  }
  const busy = httpError(429);

  it("doubles, up to a limit, and is spread", async () => {
    const attempts = 6;
    expect(await waitsOf({ attempts, jitter: false, maxDelayMs: 5_000 }, busy, busy, busy, busy)).toEqual([
      1_000, 2_000, 4_000, 5_000,
    ]);
    expect(await waitsOf({ attempts, factor: 3 }, busy, busy)).toEqual([750, 2_250]);
  });

  it.each([
    ["retry-after-ms", { responseHeaders: { "retry-after-ms": "1500" } }, 1_500],
    ["retry-after in seconds", { responseHeaders: { "Retry-After": "7" } }, 7_000],
    ["retry-after as a date", { headers: new Headers({ "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }) }, 9_000],
    ["retryAfterMs of an error", { retryAfterMs: 4_000 }, 4_000],
    ["the response beside the error", { response: { headers: { "retry-after": "5" } } }, 5_000],
    ["a cause", { cause: httpError(429, { responseHeaders: { "retry-after": "3" } }) }, 3_000],
    [
      "RetryInfo of Google",
      {
        responseBody:
          '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.4s"}]}}',
      },
      34_400,
    ],
  ])("is as long as %s asks", async (_, more, expected) => {
    expect(await waitsOf({ maxDelayMs: 60_000 }, httpError(429, more))).toEqual([expected]);
  });

  it("is never shorter than its own, and there is no further attempt when more is asked than it may be", async () => {
    const asks = (seconds: string) => httpError(429, { responseHeaders: { "retry-after": seconds } });
    expect(await waitsOf({ jitter: false }, asks("0"))).toEqual([1_000]);
    expect(await waitsOf({}, asks("3600"))).toEqual([]);
  });
});

it.each([
  [{ attempts: 0 }, /attempts of retryModel must be a number of at least 1/],
  [{ attempts: 1.5 }, /whole number/],
  [{ delayMs: -1 }, /delayMs/],
  [{ factor: Number.NaN }, /factor/],
  [{ buffer: true }, /Unknown option "buffer" of retryModel/],
  [{ afterContent: "retry" }, /"throw" or "restart"/],
  [{ retryOn: true }, /retryOn/],
])("refuses the policy %o", (policy, message) => {
  expect(() => retryModel(scriptedModel(), policy as never)).toThrow(message);
});
