import { assistantMessage, concatMessages, lambda, runnable, traceRecorder } from "kumiko";
import { fallbackModel, isRetryableModelError, ModelsExhaustedError, retryModel } from "kumiko/models";
import { modelConformance, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { breaking, chunksOf, failureOf, httpError, question } from "./attempts.js";
import { fakeProvider, saying } from "./fake-provider.js";

const hello = assistantMessage("Hello");
const always = () => hello;
const failing = (...errors: Error[]) => scriptedModel(...errors);

describe("a model with fallbacks", () => {
  const make = () => fallbackModel([scriptedModel(always, always)]);
  it.each(modelConformance(make, { messages: question }))("$name", ({ run }) => run());

  it("answers with the first model that can", async () => {
    const model = fallbackModel([failing(httpError(400)), fakeProvider([httpError(500)]), scriptedModel(hello)]);
    await expect(runnable(model).invoke(question)).resolves.toEqual(hello);
  });

  it("fails with the errors of all when none is left", async () => {
    const errors = [httpError(400), httpError(429)];
    const failure = await failureOf(runnable(fallbackModel(errors.map((error) => failing(error)))).invoke(question));
    expect(ModelsExhaustedError.is(failure)).toBe(true);
    expect(failure).toMatchObject({ code: "MODELS_EXHAUSTED", errors, cause: errors[1] });
    expect(isRetryableModelError(failure)).toBe(true);
    expect(isRetryableModelError(new ModelsExhaustedError([errors[0]]))).toBe(false);
  });

  it("fails at once with what fallBackOn leaves out", async () => {
    const wrong = httpError(400);
    const second = scriptedModel(hello);
    const model = fallbackModel([failing(wrong), second], { fallBackOn: isRetryableModelError });
    expect(await failureOf(runnable(model).invoke(question))).toBe(wrong);
    expect(second.calls).toEqual([]);
  });

  it("says which models were asked before one after which no other is asked", async () => {
    const wrong = httpError(400);
    const model = fallbackModel([failing(httpError(500)), failing(wrong), scriptedModel(hello)], {
      fallBackOn: isRetryableModelError,
    });
    const failure = await failureOf(runnable(model).invoke(question));
    expect(failure).toMatchObject({ statusCode: 400, cause: wrong });
    expect((failure as Error).message).toMatch(/^Model 2 failed with: status 400\..*- model 1: status 500$/s);
  });

  it("stays with the model that a run has come to, and begins anew in the next run", async () => {
    const first = failing(httpError(500), httpError(500));
    const second = scriptedModel(always, always, always);
    const ask = runnable(fallbackModel([first, second]));
    const twice = lambda({
      invoke: async (_: string, ctx) => {
        await ask.invoke(question, { parent: ctx, key: "a" });
        await ask.stream(question, { parent: ctx, key: "b" }).concat();
        return "done";
      },
    });
    await twice.invoke("");
    expect([first.calls.length, second.calls.length]).toEqual([1, 2]);
    await twice.invoke("").catch(() => undefined);
    expect(first.calls).toHaveLength(2);
  });

  it("replaces a stream unseen before its first content, and rejects after it", async () => {
    const model = fallbackModel([fakeProvider([httpError(500)]), fakeProvider([saying("Hello")])]);
    expect(concatMessages(await chunksOf(model)).contentBlocks).toEqual([
      { type: "assistant_gen_text", text: "Hello" },
    ]);
    const broken = httpError(500);
    const late = fallbackModel([scriptedModel(() => breaking("Hel", broken)), scriptedModel(hello)]);
    expect(await failureOf(chunksOf(late))).toBe(broken);
  });

  it("begins again after its first content, where that is wanted", async () => {
    const models = [
      scriptedModel(() => breaking("Hel", httpError(500))),
      scriptedModel(() => breaking("Good ", "day")),
    ];
    const chunks = await chunksOf(fallbackModel(models, { afterContent: "restart" }));
    expect(chunks[1]).toEqual({ role: "assistant", contentBlocks: [], restart: true });
    expect(concatMessages(chunks)).toEqual(assistantMessage("Good day"));
  });

  it("shows each attempt as a model run, those of a retried model too", async () => {
    const trace = traceRecorder();
    const first = retryModel(failing(httpError(500), httpError(500)), { attempts: 2, delayMs: 0 });
    const events: unknown[] = [];
    const callbacks = [trace, { onEvent: (_: unknown, event: unknown) => events.push(event) }];
    await runnable(fallbackModel([first, scriptedModel(hello)])).invoke(question, { callbacks });
    const [root] = trace.toJSON().runs;
    expect(root?.children.map(({ type, address }) => [type, address.split(":").at(-1)])).toEqual([
      ["ScriptedModel", "model 1 attempt 1"],
      ["ScriptedModel", "model 1 attempt 2"],
      ["ScriptedModel", "model 2"],
    ]);
    expect(events).toMatchObject([{ kind: "retry" }, { kind: "fallback", model: 2 }]);
  });
});

it("refuses no models, what is none, and options that do not exist", () => {
  expect(() => fallbackModel([])).toThrow(/at least one model/);
  expect(() => fallbackModel([scriptedModel(), 5 as never])).toThrow(/fallbackModel \(model 2\) takes a model/);
  expect(() => fallbackModel([scriptedModel()], { fallbackOn: () => true } as never)).toThrow(
    /Unknown option "fallbackOn"/,
  );
});
