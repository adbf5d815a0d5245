import { type AgenticMessage, assistantMessage, runnable } from "kumiko";
import { createAgent } from "kumiko/agents";
import { limitModel } from "kumiko/models";
import { modelConformance, scriptedModel } from "kumiko/testing";
import pLimit from "p-limit";
import { describe, expect, it } from "vitest";
import { chunksOf, failureOf, piece, question } from "./attempts.js";

const hello = assistantMessage("Hello");
const always = () => hello;

/** Lets everything go on that can. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a limited model", () => {
  const make = () => limitModel(scriptedModel(always, always), pLimit(1));
  it.each(modelConformance(make, { messages: question }))("$name", ({ run }) => run());

  it("makes no more calls at a time than it may, over all models that share the limit", async () => {
    let open = 0;
    let most = 0;
    const slow = scriptedModel(
      ...Array.from({ length: 6 }, () => async () => {
        open += 1;
        most = Math.max(most, open);
        await settled();
        open -= 1;
        return hello;
      }),
    );
    const limit = pLimit(2);
    const models = [limitModel(slow, limit), limitModel(slow, limit)];
    await Promise.all(Array.from({ length: 6 }, (_, index) => runnable(models[index % 2] ?? slow).invoke(question)));
    expect(most).toBe(2);
  });

  it("holds its slot until a stream has ended", async () => {
    const limit = pLimit(1);
    const model = limitModel(scriptedModel([piece("a"), piece("b")], always), limit);
    const reader = runnable(model).stream(question);
    await reader.next();
    const waiting = runnable(model).invoke(question);
    await settled();
    expect([limit.activeCount, limit.pendingCount]).toEqual([1, 1]);
    await reader.concat();
    await expect(waiting).resolves.toEqual(hello);
    await settled();
    expect(limit.activeCount).toBe(0);
  });

  it("gives its slot back when a stream fails, is left, or is never read", async () => {
    const limit = pLimit(1);
    async function* failing(): AsyncGenerator<AgenticMessage, void> {
      yield piece("a");
      throw new Error("no luck");
    }
    const model = limitModel(
      scriptedModel(() => failing(), [piece("a"), piece("b")], always),
      limit,
    );
    await failureOf(chunksOf(model));
    for await (const _ of runnable(model).stream(question)) break;
    await runnable(model).stream(question).cancel();
    await settled();
    expect(limit.activeCount).toBe(0);
    await expect(runnable(model).invoke(question)).resolves.toEqual(hello);
  });

  it("does not wait on for a call that is stopped", async () => {
    const limit = pLimit(1);
    let free: () => void = () => undefined;
    void limit(() => new Promise<void>((resolve) => (free = resolve)));
    const scripted = scriptedModel(hello);
    const stop = new AbortController();
    const reason = new Error("enough");
    const waiting = failureOf(runnable(limitModel(scripted, limit)).invoke(question, { signal: stop.signal }));
    const reading = failureOf(chunksOf(limitModel(scripted, limit), { signal: stop.signal }));
    await settled();
    stop.abort(reason);
    expect(await waiting).toBe(reason);
    expect(await reading).toBe(reason);
    free();
    await settled();
    expect([scripted.calls.length, limit.activeCount]).toEqual([0, 0]);
  });

  it("gives its slot back when a call is stopped or too slow, although the model heeds no signal", async () => {
    const deaf = () => new Promise<never>(() => undefined);
    for (const way of ["invoke", "stream"] as const) {
      const limit = pLimit(1);
      const stop = new AbortController();
      const run = runnable(limitModel(scriptedModel(deaf), limit));
      const options = { signal: stop.signal };
      const hanging = failureOf(
        way === "invoke" ? run.invoke(question, options) : run.stream(question, options).next(),
      );
      await settled();
      stop.abort(new Error("enough"));
      await hanging;
      await expect(runnable(limitModel(scriptedModel(hello), limit)).invoke(question)).resolves.toEqual(hello);
      const slow = createAgent({ model: limitModel(scriptedModel(deaf), limit), modelTimeoutMs: 1, retry: false });
      await failureOf(way === "invoke" ? slow.generate("Hi") : slow.stream("Hi").result);
      await expect(runnable(limitModel(scriptedModel(hello), limit)).invoke(question)).resolves.toEqual(hello);
    }
  });

  it("refuses what is no limit", () => {
    expect(() => limitModel(scriptedModel(), 5 as never)).toThrow(/pLimit\(5\)/);
  });
});
