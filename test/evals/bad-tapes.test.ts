import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assistantMessage, createTool, runnable, userMessage } from "kumiko";
import { createAgent } from "kumiko/agents";
import type { CustomModel } from "kumiko/components";
import { type CassetteOptions, cassette, evaluate } from "kumiko/evals";
import { fallbackModel } from "kumiko/models";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, test } from "vitest";
import { callOf, filesIn, newFolder, overwriteAll, untouchable } from "./temporary-folder.js";

type Mode = CassetteOptions["mode"];
const embedder = {
  component: "embedder" as const,
  type: "test/embedder",
  embed: async (texts: readonly string[]) => texts.map(() => [1, 2]),
};
const lookup = createTool({ id: "lookup", description: "d", execute: async () => ({ found: 1 }) });
const asked = (folder: string, mode: Mode, what: "tool" | "vector" | "function"): Promise<unknown> => {
  const tape = cassette(folder, { mode });
  if (what === "vector") return runnable(tape.embedder(embedder)).invoke(["a"]);
  if (what === "function") return tape.wrap("double", async (value: number) => value * 2)(1);
  const model = scriptedModel(callOf("lookup", {}), "done");
  return createAgent({ model, tools: tape.tools([lookup]) }).generate("Look it up");
};

describe.each(["tool", "vector", "function"] as const)("the tape of a %s", (what) => {
  test.each([
    ["cut off", '{"version":1,"requ', "is not JSON"],
    ["of another program", "[]", "is not a JSON object"],
    ["without a version", { request: {}, answers: [{ value: 1 }] }, "no version"],
    ["of a newer version", { version: 3, request: {}, answers: [{ value: 1 }] }, "version 3"],
    ["without a request", { version: 1, answers: [{ value: 1 }] }, "no request"],
    ["without answers", { version: 1, request: {} }, "no list of answers"],
    ["with an answer that is no object", { version: 1, request: {}, answers: [7] }, "answers[0]"],
    ["with an empty answer", { version: 1, request: {}, answers: [{}] }, "without a v"],
  ])("that is %s ends the run, and names the file", async (_name, content, said) => {
    const folder = newFolder();
    await asked(folder, "auto", what);
    const [file = ""] = filesIn(folder);
    overwriteAll(folder, content);
    const message = expect.stringContaining(said);
    await expect(asked(folder, "replay", what)).rejects.toMatchObject({ code: "INVALID_TAPE", message });
    await expect(asked(folder, "replay", what)).rejects.toThrow(file);
  });
});

test.each([
  [{ chunks: 5 }, "not a list"],
  [{ chunks: [5] }, "not an object"],
  [{ json: "{" }, "not JSON"],
  [{ error: null }, "no message"],
  [{ error: { message: 5 } }, "no message"],
])("an edited answer of a tool, %o, is INVALID_TAPE", async (answer, said) => {
  const folder = newFolder();
  await asked(folder, "auto", "tool");
  overwriteAll(folder, { version: 1, request: {}, answers: [answer] });
  await expect(asked(folder, "replay", "tool")).rejects.toMatchObject({
    code: "INVALID_TAPE",
    message: expect.stringContaining(said),
  });
});

test("no fallback answers what a broken tape cannot, and no evaluation scores it", async () => {
  const folder = newFolder();
  const recording = createAgent({ model: cassette(folder, { mode: "auto" }).model(scriptedModel("Hello!")) });
  await recording.generate("Hi");
  overwriteAll(folder, "{");
  const other = untouchable();
  const agent = createAgent({
    model: fallbackModel([cassette(folder, { mode: "replay" }).model(untouchable()), other]),
  });
  await expect(agent.generate("Hi")).rejects.toMatchObject({ code: "INVALID_TAPE" });
  const app = evaluate({ run: ({ input }, ctx) => agent.generate(input, { parent: ctx }), scorers: { any: () => 1 } });
  await expect(app.invoke([{ input: "Hi" }])).rejects.toMatchObject({ code: "INVALID_TAPE" });
  expect(other.asked()).toBe(0);
});

test("answers may be edited by hand, and files that were written half are passed over", async () => {
  const folder = newFolder();
  const ask = (mode: Mode) =>
    createAgent({ model: cassette(folder, { mode }).model(scriptedModel("Hello!")) }).generate("Hi");
  await ask("auto");
  const [name = ""] = filesIn(folder);
  const path = join(folder, name);
  writeFileSync(path, readFileSync(path, "utf8").replace("Hello!", "Good evening!"));
  writeFileSync(`${path}.4711-abc.tmp`, '{"vers');
  expect((await ask("replay")).text).toBe("Good evening!");
  expect((await ask("auto")).text).toBe("Good evening!");
});

test("what was recorded with one model is no answer of another, and the miss says so", async () => {
  const folder = newFolder();
  const ask = (mode: Mode, model: CustomModel) =>
    runnable(cassette(folder, { mode }).model(model)).invoke([userMessage("Hi")]);
  await ask("auto", { component: "model", type: "a/one", generate: async () => assistantMessage("Hello!") });
  const other = untouchable("a/two");
  const miss = await ask("replay", other).catch((error) => error);
  expect(miss).toMatchObject({ code: "TAPE_MISS" });
  expect(miss.message).toContain('this request to the model "a/two": "Hi".');
  expect(miss.message).toContain('model:\n  recorded: "a/one"\n  asked:    "a/two"');
  expect(other.asked()).toBe(0);
});

test("what no tape can keep ends the run: a model must not read it as the failure of a tool", async () => {
  const folder = newFolder();
  const tape = cassette(folder, { mode: "auto" });
  const broken = createTool({ id: "lookup", description: "d", execute: async () => ({ at: new Date() }) });
  const model = scriptedModel(callOf("lookup", {}), "done");
  const agent = createAgent({ model, tools: tape.tools([broken]) });
  await expect(agent.generate("Look it up")).rejects.toMatchObject({
    code: "NOT_SERIALIZABLE",
    message: expect.stringMatching(/"lookup".*at is an instance of Date/s),
  });
  expect(model.calls).toHaveLength(1);
  expect(tape.stats.recorded).toBe(0);
});

test.each([
  ["too few", async () => [], /0 vectors for 2 texts/],
  ["nothing", async () => undefined, /undefined for 2 texts/],
  ["empty ones", async (texts: readonly string[]) => texts.map(() => []), /not all vectors for 2 texts/],
  ["no numbers", async (texts: readonly string[]) => texts.map(() => [Number.NaN]), /not all vectors for 2 texts/],
])("an embedder that returns %s is told so, and nothing is kept", async (_name, embed, message) => {
  const folder = newFolder();
  const tape = cassette(folder, { mode: "auto" });
  const model = tape.embedder({ component: "embedder", type: "test/embedder", embed: embed as never });
  await expect(runnable(model).invoke(["a", "b"])).rejects.toThrow(message);
  expect(tape.stats.recorded).toBe(0);
});

test.each([
  ["", /folder/],
  [5, /folder/],
  ["package.json", /is a file/],
  ["package.json/tape", /is a file/],
])("the folder %o is refused", (folder, message) => {
  expect(() => cassette(folder as string)).toThrow(message);
});

test.each([
  [{ mode: "play" }, /mode/],
  [{ ignore: /x/ }, /ignore/],
  [{ secrets: ["x"] }, /secrets/],
  [{ modus: "auto" }, /Did you mean "mode"/],
])("the options %o are refused", (options, message) => {
  expect(() => cassette("tapes/none", options as never)).toThrow(message);
});
