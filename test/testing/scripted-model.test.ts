import { type AgenticMessage, assistantMessage, Chain, findCause, textOf, userMessage } from "kumiko";
import { assistantGenText } from "kumiko/schema";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";

const piece = (text: string): AgenticMessage =>
  assistantMessage(assistantGenText({ text, streamingMeta: { index: 0 } }));
const question = [userMessage("How are you?")];

const chat = (...script: readonly ScriptEntry[]) => {
  const model = scriptedModel(...script);
  return { model, app: new Chain<AgenticMessage[]>().appendModel(model).compile() };
};

describe("scriptedModel", () => {
  it("gives one answer after the other", async () => {
    const { app } = chat(assistantMessage("Fine."), assistantMessage("Still fine."));
    expect(textOf(await app.invoke(question))).toBe("Fine.");
    expect(textOf(await app.invoke(question))).toBe("Still fine.");
  });

  it("gives a list of chunks one by one when it streams", async () => {
    const { app } = chat([piece("Fi"), piece("ne.")]);
    const texts: string[] = [];
    for await (const chunk of app.stream(question)) texts.push(textOf(chunk));
    expect(texts).toEqual(["Fi", "ne."]);
  });

  it("joins a list of chunks when it generates", async () => {
    const { app } = chat([piece("Fi"), piece("ne.")]);
    expect(await app.invoke(question)).toEqual(assistantMessage("Fine."));
  });

  it("gives a whole message as one chunk", async () => {
    const { app } = chat(assistantMessage("Fine."));
    expect(textOf(await app.stream(question).concat())).toBe("Fine.");
  });

  it("gives chunks as they come", async () => {
    const { app } = chat(async function* () {
      yield piece("Fi");
      yield piece("ne.");
    });
    expect(textOf(await app.stream(question).concat())).toBe("Fine.");
  });

  it("works answers out from the messages and the options", async () => {
    const { app } = chat((messages, { options }) =>
      assistantMessage(`${messages.map(textOf)} at ${options.temperature}`),
    );
    const answer = await app.invoke(question, { options: { model: { temperature: 0.5 } } });
    expect(textOf(answer)).toBe("How are you? at 0.5");
  });

  it("fails with an error of the script", async () => {
    const overloaded = new RangeError("overloaded");
    const { app } = chat(overloaded);
    expect(await app.invoke(question).catch((error: unknown) => findCause(error, RangeError))).toBe(overloaded);
  });

  it("remembers its calls, with the messages as they were", async () => {
    const { model, app } = chat(assistantMessage("a"), assistantMessage("b"));
    const messages = [...question];
    await app.invoke(messages, { options: { model: { topP: 1 } } });
    messages.push(assistantMessage("a"));
    await app.stream(messages).concat();
    expect(model.calls).toEqual([
      { method: "generate", messages: question, options: { topP: 1 } },
      { method: "stream", messages, options: {} },
    ]);
  });

  it("says so when its script is exhausted", async () => {
    const { app } = chat(assistantMessage("Fine."));
    await app.invoke(question);
    await expect(app.invoke(question)).rejects.toThrow(
      "ScriptedModel was called 2 times, and its script has one answer. Add an answer",
    );
    await expect(app.stream(question).concat()).rejects.toThrow("was called 3 times");
  });

  it("says so when an answer is none", async () => {
    const { app } = chat((() => 42) as never);
    await expect(app.invoke(question)).rejects.toThrow("Answer 1 in the script of ScriptedModel is not valid");
  });

  it("answers nothing when it was stopped before", async () => {
    const model = scriptedModel(assistantMessage("Fine."));
    const ctx = { signal: AbortSignal.abort(new Error("stop")) } as never;
    await expect(model.generate(question, ctx)).rejects.toThrow("stop");
    expect(model.calls).toEqual([]);
  });
});
