import { type } from "arktype";
import { type AgenticMessage, assistantMessage, Chain, functionToolCall, textOf, traceRecorder } from "kumiko";
import { InvalidOutputError, structured } from "kumiko/models";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf, httpError, piece, question } from "./attempts.js";
import { fakeProvider } from "./fake-provider.js";

const forecast = z.object({ city: z.string(), celsius: z.number() });
const kyoto = { city: "Kyoto", celsius: 22 };
const says = (value: unknown): AgenticMessage => assistantMessage(JSON.stringify(value));

describe("a structured answer", () => {
  it("is the value that the model wrote", async () => {
    const model = scriptedModel(says(kyoto));
    await expect(structured(model, forecast).invoke(question)).resolves.toEqual(kyoto);
    expect(model.calls[0]?.options).toEqual({
      responseFormat: {
        type: "json",
        name: "output",
        schema: expect.objectContaining({ type: "object", required: ["city", "celsius"], additionalProperties: false }),
      },
    });
  });

  it("is what the schema makes of it, dates included", async () => {
    const parsed = z.object({ at: z.date(), n: z.number().default(3) });
    const at = "2026-01-01T00:00:00.000Z";
    await expect(structured(scriptedModel(says({ at })), parsed).invoke(question)).resolves.toEqual({
      at: new Date(at),
      n: 3,
    });
  });

  it.each([
    ["plain JSON Schema", { type: "object", properties: { city: { type: "string" } }, required: ["city"] }],
    ["ArkType", type({ city: "string" })],
  ])("is checked by %s", async (_, schema) => {
    await expect(structured(scriptedModel(says(kyoto)), schema).invoke(question)).resolves.toEqual(kyoto);
    const wrong = structured(scriptedModel(says({}), says({})), schema).invoke(question);
    expect(await failureOf(wrong)).toMatchObject({ code: "INVALID_OUTPUT" });
  });

  it("that is no object is wrapped for the model, and unwrapped again", async () => {
    const list = scriptedModel(says({ value: [1, 2] }), says([3]));
    const run = structured(list, z.array(z.number()));
    await expect(run.invoke(question)).resolves.toEqual([1, 2]);
    await expect(run.invoke(question)).resolves.toEqual([3]);
    expect(list.calls[0]?.options.responseFormat).toMatchObject({
      schema: { type: "object", required: ["value"], properties: { value: { type: "array" } } },
    });
    await expect(structured(scriptedModel(says({ value: "b" })), z.enum(["a", "b"])).invoke(question)).resolves.toBe(
      "b",
    );
  });

  it("may stand in a Markdown block", async () => {
    const model = scriptedModel(assistantMessage(`\`\`\`json\n${JSON.stringify(kyoto)}\n\`\`\``));
    await expect(structured(model, forecast).invoke(question)).resolves.toEqual(kyoto);
  });

  it("is the text that the provider says is the output", async () => {
    const content = [
      { type: "text", text: "draft" },
      { type: "text", text: JSON.stringify(kyoto) },
    ];
    const model = fakeProvider([[{ content, structuredOutputText: JSON.stringify(kyoto) }]]);
    await expect(structured(model, forecast).invoke(question)).resolves.toEqual(kyoto);
  });

  it("that does not fit goes back to the model with what is wrong, by path", async () => {
    const model = scriptedModel(says({ ...kyoto, celsius: "warm" }), says(kyoto));
    await expect(structured(model, forecast).invoke(question)).resolves.toEqual(kyoto);
    const sent = model.calls[1]?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(textOf(sent[2] as AgenticMessage)).toMatch(/- celsius: /);
  });

  it("that never fits fails with the text and the issues", async () => {
    const model = scriptedModel(...Array.from({ length: 3 }, () => assistantMessage("no JSON")));
    const failure = await failureOf(structured(model, forecast, { outputRepairs: 2 }).invoke(question));
    expect(InvalidOutputError.is(failure)).toBe(true);
    expect(failure).toMatchObject({
      code: "INVALID_OUTPUT",
      text: "no JSON",
      issues: [{ message: expect.stringMatching(/not valid JSON/) }],
    });
    expect(model.calls).toHaveLength(3);
    const none = structured(scriptedModel(says({})), forecast, { outputRepairs: 0 }).invoke(question);
    expect(await failureOf(none)).toMatchObject({ code: "INVALID_OUTPUT" });
  });

  it("sends no call back that nobody answers", async () => {
    const call = assistantMessage([functionToolCall({ callId: "1", name: "now", arguments: "{}" })]);
    const model = scriptedModel(call, says(kyoto));
    await structured(model, forecast).invoke(question);
    expect(model.calls[1]?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  it("has the options that are given for its calls", async () => {
    const model = scriptedModel(says(kyoto));
    await structured(model, forecast, { modelOptions: { temperature: 0 } }).invoke(question);
    expect(model.calls[0]?.options).toMatchObject({ temperature: 0, responseFormat: { type: "json" } });
  });

  it("fails with the error of the model, and shows its calls in traces", async () => {
    const broken = httpError(500);
    expect(await failureOf(structured(scriptedModel(broken), forecast).invoke(question))).toBe(broken);
    const trace = traceRecorder();
    await structured(scriptedModel(says({}), says(kyoto)), forecast).invoke(question, { callbacks: [trace] });
    const [root] = trace.toJSON().runs;
    expect(root).toMatchObject({ component: "lambda", type: "Structured" });
    expect(root?.children.map(({ component }) => component)).toEqual(["model", "model"]);
  });

  it("is a step of a chain", async () => {
    const run = new Chain<readonly AgenticMessage[]>()
      .append(structured(scriptedModel(says(kyoto)), forecast))
      .append(({ celsius }) => celsius + 1)
      .compile();
    await expect(run.invoke(question)).resolves.toBe(23);
  });
});

describe("a structured stream", () => {
  const read = async (model: ReturnType<typeof scriptedModel>, schema = forecast): Promise<unknown[]> => {
    const values: unknown[] = [];
    for await (const value of structured(model, schema).stream(question)) values.push(value);
    return values;
  };

  it("gives the growing value, the last one validated", async () => {
    const model = scriptedModel([piece('{"city":"Ky'), piece('oto","cel'), piece('sius":2'), piece("2}")]);
    expect(await read(model)).toEqual([{ city: "Ky" }, { city: "Kyoto" }, { city: "Kyoto", celsius: 22 }, kyoto]);
  });

  it("begins again when the answer does, and when it did not fit", async () => {
    const restart: AgenticMessage = { role: "assistant", contentBlocks: [], restart: true };
    const restarted = scriptedModel([piece('{"city":"Osaka",'), restart, piece(JSON.stringify(kyoto))]);
    expect((await read(restarted)).at(-1)).toEqual(kyoto);
    const repaired = scriptedModel([piece('{"city":"Osaka"}')], [piece(JSON.stringify(kyoto))]);
    expect(await read(repaired)).toEqual([{ city: "Osaka" }, kyoto, kyoto]);
  });

  it("joins to the last value", async () => {
    const model = scriptedModel([piece('{"city":"Ky'), piece('oto","celsius":22}')]);
    await expect(structured(model, forecast).stream(question).concat()).resolves.toEqual(kyoto);
  });

  it("unwraps what grows", async () => {
    const values: unknown[] = [];
    const model = scriptedModel([piece('{"value":["a'), piece('b","c"]}')]);
    for await (const value of structured(model, z.array(z.string())).stream(question)) values.push(value);
    expect(values).toEqual([["a"], ["ab", "c"], ["ab", "c"]]);
  });

  it("of a long answer in small pieces costs no more than a few readings of it", async () => {
    const long = JSON.stringify({ city: "x".repeat(60_000), celsius: 1 });
    const pieces = [...long].map(piece);
    const values = await read(scriptedModel(pieces));
    expect(values.length).toBeLessThan(1_000);
    expect(values.at(-1)).toEqual({ city: "x".repeat(60_000), celsius: 1 });
  });
});

it("refuses schemas without a JSON form, models that are none, and options that do not exist", () => {
  expect(() => structured(scriptedModel(), z.object({ f: z.function() as never }))).toThrow(/JSON Schema/);
  expect(() => structured(5 as never, forecast)).toThrow(/structured takes a model/);
  expect(() => structured(scriptedModel(), forecast, { repairs: 1 } as never)).toThrow(
    /Unknown option "repairs" of structured/,
  );
  expect(() => structured(scriptedModel(), forecast, { outputRepairs: -1 })).toThrow(/outputRepairs/);
  expect(() => structured(scriptedModel(), forecast, { outputRepairs: 1.5 })).toThrow(/whole number/);
});
