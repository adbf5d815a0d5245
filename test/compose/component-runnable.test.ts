import { assistantMessage, lambda, runnable, traceRecorder, userMessage } from "kumiko";
import { scriptedModel } from "kumiko/testing";
import { expect, it } from "vitest";

const question = [userMessage("Hi")];

it("makes a Runnable of a model, in all four modes", async () => {
  const model = runnable(scriptedModel(...Array.from({ length: 4 }, () => assistantMessage("Hello"))));
  const answer = assistantMessage("Hello");
  await expect(model.invoke(question)).resolves.toEqual(answer);
  await expect(model.stream(question).concat()).resolves.toEqual(answer);
  await expect(
    model.collect(
      (async function* () {
        yield question;
      })(),
    ),
  ).resolves.toEqual(answer);
  await expect(
    model
      .transform(
        (async function* () {
          yield question;
        })(),
      )
      .concat(),
  ).resolves.toEqual(answer);
});

it("takes call options of its kind, and shows itself to handlers under its name", async () => {
  const scripted = scriptedModel(assistantMessage("Hello"));
  const trace = traceRecorder();
  const ask = runnable(scripted, { name: "draft" });
  const outer = lambda({
    invoke: (text: string, ctx) =>
      ask.invoke([userMessage(text)], { parent: ctx, options: { model: { temperature: 0 } } }),
  });
  await outer.invoke("Hi", { callbacks: [trace] });
  expect(scripted.calls[0]?.options).toEqual({ temperature: 0 });
  const [root] = trace.toJSON().runs;
  expect(root?.children).toMatchObject([{ component: "model", name: "draft", type: "ScriptedModel" }]);
});

it("makes Runnables of the other components", async () => {
  const embedder = { component: "embedder", embed: async (texts: readonly string[]) => texts.map(() => [1]) } as const;
  await expect(runnable(embedder).invoke(["a", "b"])).resolves.toEqual([[1], [1]]);
});

it("refuses what is no component, and options that do not exist", () => {
  expect(() => runnable((() => 1) as never)).toThrow(/lambda/);
  expect(() => runnable(scriptedModel(), { nmae: "x" } as never)).toThrow(/Unknown option "nmae"/);
  expect(() => runnable({ component: "model" } as never)).toThrow(/without the method generate/);
});
