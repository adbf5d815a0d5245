import { type AgenticMessage, functionToolResult, runnable, toolCallsOf, userMessage } from "kumiko";
import { type AiSdkModel, aiSdkModel } from "kumiko/models";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adapted, answerOf, folder, partsOf, question, streamed } from "./replay/cases.js";
import { ReplayServer } from "./replay/replay-server.js";

const server = new ReplayServer();
let url = "";

beforeAll(async () => {
  url = await server.start();
});
afterAll(() => server.stop());

type Part = Readonly<Record<string, unknown>>;
type Prompt = readonly { readonly role: string; readonly content: string | readonly Part[] }[];

/** The same model, which notes what it is asked. */
function noting(model: AiSdkModel): { model: AiSdkModel; prompts: Prompt[] } {
  const prompts: Prompt[] = [];
  const doGenerate = async (options: { prompt: Prompt }): Promise<object> => {
    prompts.push(options.prompt);
    return {
      content: [],
      response: { id: "r1" },
      finishReason: { unified: "stop", raw: "stop" },
      usage: {},
      warnings: [],
    };
  };
  const { specificationVersion, provider, modelId, doStream } = model;
  return { model: { specificationVersion, provider, modelId, doGenerate, doStream: doStream.bind(model) }, prompts };
}

/** Results for all calls, and what the user says then. */
function goOn(answer: AgenticMessage): AgenticMessage[] {
  const results = toolCallsOf(answer).map(({ callId, name }) =>
    userMessage(functionToolResult({ callId, name, result: "done" })),
  );
  return [...question, answer, ...results, userMessage("Go on.")];
}

const parsed = (text: unknown): unknown => JSON.parse(String(text) || "{}");

describe.skipIf(folder === undefined)("answers that are sent back (skipped where there is no shared/fixtures)", () => {
  describe.each(streamed)("$title", ({ provider, recording }) => {
    it("lose nothing: ids, arguments, results, reasoning and what the provider sent with them", async () => {
      server.answer(answerOf(recording));
      const raw = provider.model(url);
      const parts = await partsOf(raw);
      const answer = await runnable(adapted(provider, url))
        .stream(question)
        .concat()
        .catch(() => undefined);
      if (answer === undefined) return; // the package cannot read it
      const { model, prompts } = noting(raw);
      // a log that was kept and read again
      const log: AgenticMessage[] = JSON.parse(JSON.stringify(goOn(answer)));
      await runnable(aiSdkModel(model)).invoke(log);
      const sent = (prompts[0]?.find(({ role }) => role === "assistant")?.content ?? []) as Part[];
      const ofType = (type: string) => sent.filter((part) => part.type === type);
      const isRandom = (id: unknown) => !recording.body.includes(String(id));

      const calls = parts.filter(({ type }) => type === "tool-call");
      expect(
        ofType("tool-call").map(({ toolName, input, providerExecuted = false }) => ({
          toolName,
          input,
          providerExecuted,
        })),
      ).toEqual(
        calls.map(({ toolName, input, providerExecuted = false }) => ({
          toolName,
          input: parsed(input),
          providerExecuted,
        })),
      );
      const ids = (list: readonly Part[]) => list.map(({ toolCallId }) => (isRandom(toolCallId) ? "" : toolCallId));
      expect(ids(ofType("tool-call"))).toEqual(ids(calls));
      const results = parts.filter(({ type, preliminary }) => type === "tool-result" && preliminary !== true);
      expect(ofType("tool-result").map(({ output }) => (output as Part).value)).toEqual(
        results.map(({ result }) => result),
      );
      const joined = (type: string) =>
        parts
          .filter((part) => part.type === `${type}-delta`)
          .map(({ delta }) => delta)
          .join("");
      const texts = (type: string) =>
        ofType(type)
          .map(({ text }) => text)
          .join("");
      expect(texts("text")).toBe(joined("text"));
      expect(texts("reasoning")).toBe(joined("reasoning"));

      const last = new Map<string, unknown>();
      for (const { type, id, toolCallId, providerMetadata } of parts) {
        const isContent = /^(text|reasoning|tool-call|tool-result|tool-input)/.test(String(type));
        const key = `${String(type).split("-")[0]}:${String(toolCallId ?? id)}`;
        if (isContent && providerMetadata !== undefined) last.set(key, providerMetadata);
      }
      const returned = sent.map(({ providerOptions }) => JSON.stringify(providerOptions));
      for (const metadata of last.values()) expect(returned).toContain(JSON.stringify(metadata));
    });
  });

  it.each(["anthropic 4 (v4)", "anthropic 2 (v2)"])(
    "%s gets its signature back, byte for byte, in the request",
    async (name) => {
      const { provider, recording } = streamed.find(
        (one) => one.provider.name === name && one.recording.name.startsWith("anthropic-clear-thinking"),
      ) as (typeof streamed)[number];
      server.answer(answerOf(recording));
      const model = runnable(adapted(provider, url));
      const answer = await model.stream(question).concat();
      await model.stream([...question, answer, userMessage("Go on.")]).concat();
      const signature = /"signature":"([^"]{20,})"/.exec(recording.body)?.[1] ?? "none";
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(signature);
      const foreign = {
        ...answer,
        contentBlocks: answer.contentBlocks.map((block) => ({
          ...block,
          extra: { ...block.extra, provider: "other" },
        })),
      };
      await model.stream([...question, foreign, userMessage("Go on.")]).concat();
      expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain(signature);
    },
  );
});
