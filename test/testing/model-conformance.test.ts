import { type AgenticMessage, type AgenticModel, assistantMessage, userMessage } from "kumiko";
import { assistantGenText } from "kumiko/schema";
import { modelConformance, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";

const messages = [userMessage("Hi")];
const pieces = ["Hel", "lo"].map((text) => assistantMessage(assistantGenText({ text, streamingMeta: { index: 0 } })));
const answer = () => pieces;
const scripted = (): AgenticModel => scriptedModel(answer, answer);

const sound: AgenticModel = {
  component: "model",
  async generate(_messages, ctx) {
    ctx.signal.throwIfAborted();
    return assistantMessage("Hello");
  },
  async *stream(_messages, ctx) {
    ctx.signal.throwIfAborted();
    yield* pieces;
  },
};

const webStream: AgenticModel = {
  ...sound,
  stream: (_messages, ctx) =>
    new ReadableStream<AgenticMessage>({
      start(controller) {
        if (ctx.signal.aborted) return controller.error(ctx.signal.reason);
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    }),
};

const checksOf = (model: AgenticModel) => modelConformance(() => model, { messages });

describe.each([
  ["a scripted model", modelConformance(scripted, { messages })],
  ["a model of two functions", checksOf(sound)],
  ["a model that gives web streams", checksOf(webStream)],
])("modelConformance holds for %s", (_name, checks) => {
  it.each(checks.map(({ name, run }) => [name, run] as const))("%s", async (_check, run) => {
    await run();
  });
});

const user = userMessage("I am the model");

const defects: Readonly<Record<string, Partial<Record<keyof AgenticModel, unknown>>>> = {
  'has the component "model"': { component: "retriever" },
  "generate returns an assistant message": { generate: async () => user },
  "stream returns chunks of an assistant message": {
    stream: async function* () {
      yield user;
    },
  },
  "the chunks of stream concatenate to the message of generate": { generate: async () => assistantMessage("Bye") },
  "does not change the given messages": {
    generate: async (given: AgenticMessage[]) => {
      given.push(user);
      return assistantMessage("Hello");
    },
  },
  "a stream can be cancelled after its first chunk": {
    stream: async function* () {
      try {
        yield* pieces;
      } finally {
        await Promise.reject(new Error("The connection does not close."));
      }
    },
  },
  "generate rejects when its signal is aborted": { generate: async () => assistantMessage("Hello") },
  "stream rejects when its signal is aborted": {
    stream: async function* () {
      yield* pieces;
    },
  },
};

describe("A check of modelConformance refuses what it is there for", () => {
  it.each(checksOf(sound).map(({ name }) => name))("%s", async (name) => {
    expect(defects).toHaveProperty([name]);
    const checks = checksOf({ ...sound, ...defects[name] } as AgenticModel);
    await expect(checks.find((check) => check.name === name)?.run()).rejects.toThrow();
  });

  it("refuses a stream without a chunk", async () => {
    const empty = { ...sound, async *stream() {} };
    const check = checksOf(empty).find(({ name }) => name === "stream returns chunks of an assistant message");
    await expect(check?.run()).rejects.toThrow("The stream is empty.");
  });
});

it("gives the model the options that are asked for", async () => {
  const seen: unknown[] = [];
  const model: AgenticModel<{ seed: number }> = {
    ...sound,
    generate: async (_messages, { options }) => {
      seen.push(options);
      return assistantMessage("Hello");
    },
    stream: sound.stream as never,
  };
  const [, generates] = modelConformance(() => model, { messages, options: { seed: 1 } });
  await generates?.run();
  expect(seen).toEqual([{ seed: 1 }]);
});

it("shows the two messages that differ", async () => {
  const checks = checksOf({ ...sound, generate: async () => assistantMessage("Bye") });
  const check = checks.find(({ name }) => name.startsWith("the chunks of stream concatenate"));
  await expect(check?.run()).rejects.toThrow(
    /not the message that generate returns: expected \{.*"Bye".*\}, got \{.*"Hello".*\}\.$/,
  );
});
