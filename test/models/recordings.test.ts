import { readFileSync } from "node:fs";
import { join } from "node:path";
import { concatMessages, findCause, KumikoError, runnable } from "kumiko";
import { aiSdkModel, isRetryableModelError, retryModel } from "kumiko/models";
import { modelConformance } from "kumiko/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  adapted,
  answerOf,
  type Case,
  cases,
  fakeModel,
  folder,
  partsOf,
  question,
  rawCall,
  streamed,
  streamedBy,
  withoutRandomIds,
} from "./replay/cases.js";
import { wholeAnswer } from "./replay/oracle.js";
import { providers } from "./replay/providers.js";
import { ReplayServer } from "./replay/replay-server.js";

const server = new ReplayServer();
let url = "";

beforeAll(async () => {
  url = await server.start();
});
afterAll(() => server.stop());

/** Recordings that some package cannot read: what it gives instead. */
const unread = (name: string, provider: string): string | undefined => {
  if (name.startsWith("parallel-tool-call-wrapper")) return "AI_JSONParseError";
  if (provider.startsWith("anthropic 2") && name.startsWith("anthropic-tool-search")) return "AI_TypeValidationError";
  if (provider.startsWith("google 2") && name.startsWith("google-vertex")) return "EMPTY_STREAM";
  return undefined;
};

const nameOf = (error: unknown): string => {
  const cause = KumikoError.is(error) && error.code === "NODE_FAILED" ? error.cause : error;
  return KumikoError.is(cause) ? cause.code : (cause as Error).name;
};

/** Whole answers that every package reads. */
const wholes = ["openai-shell-local-multiturn.1", "deepseek-tool-call", "anthropic-text", "google-tool-call-gemini3"];

const readable = ({ provider, recording }: Case): boolean => unread(recording.name, provider.name) === undefined;

/** Some recordings hold several answers, one after another: up to where the first one ends. */
const firstAnswer = (body: string): string => body.slice(0, body.search(/"response\.completed"|"message_delta"|$/));

const longest = (name: string): Case =>
  streamed
    .filter((one) => one.provider.name === name && readable(one))
    .reduce((found, one) => (one.recording.body.length > found.recording.body.length ? one : found));

describe.skipIf(folder === undefined)("recordings (skipped where there is no folder shared/fixtures)", () => {
  it("are found", () => expect(cases.length).toBeGreaterThan(100));

  describe.each(streamed.filter(readable))("$title", ({ provider, recording }) => {
    it("streams what it gives as a whole: kinds, order, ids, arguments, usage", async () => {
      server.answer(answerOf(recording));
      const raw = provider.model(url);
      const { content, response, finishes, errors } = wholeAnswer(await partsOf(raw));
      expect(errors).toEqual([]);
      const finish = finishes.at(-1) ?? {};
      const chunks = await streamedBy(adapted(provider, url));
      const generated = await runnable(aiSdkModel(fakeModel(raw, { ...finish, content, response }))).invoke(question);
      const [own, expected] = [concatMessages(chunks), generated].map((value) => withoutRandomIds(value, recording));
      expect(own?.contentBlocks).toStrictEqual(expected?.contentBlocks);
      if (finishes.length === 1) expect(own).toStrictEqual(expected);
      expect(own?.responseMeta?.finishReason).toBe(expected?.responseMeta?.finishReason);
      expect(JSON.parse(JSON.stringify(own))).toStrictEqual(own);
    });

    it("is the same byte by byte", async () => {
      server.answer(answerOf(recording));
      const whole = await streamedBy(adapted(provider, url));
      server.answer(answerOf(recording, { pieces: recording.body.length < 3_000 ? 1 : 997 }));
      const pieces = await streamedBy(adapted(provider, url));
      const [own, expected] = [pieces, whole].map((chunks) => withoutRandomIds(concatMessages(chunks), recording));
      expect(own).toStrictEqual(expected);
    });

    it.each(["breaks off", "ends early"] as const)("is cut off where the connection %s", async (how) => {
      const bytes = Math.floor(Buffer.byteLength(firstAnswer(recording.body)) * 0.5);
      server.answer(answerOf(recording, { cutAfter: bytes, cut: how === "breaks off" ? "connection" : "body" }));
      const error = await streamedBy(adapted(provider, url)).catch((thrown: unknown) => thrown);
      expect(["STREAM_CUT", "EMPTY_STREAM"]).toContain(nameOf(error));
      expect(isRetryableModelError(error)).toBe(true);
    });
  });

  it.each(streamed.filter((one) => !readable(one)))(
    "$title fails as its package does",
    async ({ provider, recording }) => {
      server.answer(answerOf(recording));
      const error = await streamedBy(adapted(provider, url)).catch((thrown: unknown) => thrown);
      expect(nameOf(error)).toBe(unread(recording.name, provider.name));
    },
  );

  describe.each(cases.filter(({ recording }) => !recording.streamed))("$title", ({ provider, recording }) => {
    it("keeps kinds, order, ids, arguments and usage", async () => {
      server.answer(answerOf(recording));
      const raw = provider.model(url);
      const expected = await Promise.resolve(raw.doGenerate(rawCall as never)).catch((thrown: unknown) => thrown);
      const message = await runnable(adapted(provider, url))
        .invoke(question)
        .catch((thrown: unknown) => thrown);
      if (expected instanceof Error) {
        expect(nameOf(message)).toBe(expected.name);
        return;
      }
      const { content } = expected as {
        content: { type: string; toolCallId?: string; input?: string; text?: string }[];
      };
      const { contentBlocks } = message as {
        contentBlocks: { type: string; callId?: string; arguments?: string; text?: string }[];
      };
      const kept = content.filter(({ type, text }) => type !== "text" || text !== "");
      const isCall = ({ type }: { type: string }) => type.endsWith("tool_call");
      expect(contentBlocks).toHaveLength(kept.length);
      const written = (list: readonly object[]) => withoutRandomIds(list, recording);
      expect(written(contentBlocks.filter(isCall).map(({ callId, arguments: text }) => [callId, text]))).toEqual(
        written(kept.filter(({ type }) => type === "tool-call").map(({ toolCallId, input }) => [toolCallId, input])),
      );
      expect(contentBlocks.flatMap(({ type, text }) => (type === "assistant_gen_text" ? [text] : []))).toEqual(
        kept.flatMap(({ type, text }) => (type === "text" ? [text] : [])),
      );
    });
  });

  it.each(["openai 4 (responses, v4)", "anthropic 2 (v2)", "google 4 (v4)", "openai-compatible 3 (v4)"])(
    "a slow answer of %s stops when its reader aborts, and the service sees it",
    async (name) => {
      const one = longest(name);
      const slow = new ReplayServer();
      const address = await slow.start();
      slow.answer(answerOf(one.recording, { stallAfter: Math.floor(one.recording.body.length / 2) }));
      const stop = new AbortController();
      const reading = runnable(adapted(one.provider, address)).stream(question, { signal: stop.signal });
      await reading.next();
      const reason = new Error("enough");
      const pending = (async () => {
        for (;;) if ((await reading.next()).done) return undefined;
      })().catch((thrown: unknown) => thrown);
      stop.abort(reason);
      expect(await pending).toBe(reason);
      await slow.left;
      await slow.stop();
    },
  );

  it.each(["openai 3 (responses, v3)", "anthropic 4 (v4)", "openai-compatible 1 (v2)"])(
    "%s: a 429 is waited out",
    async (name) => {
      const { provider, recording } = streamed.find((found) => found.provider.name === name && readable(found)) as Case;
      const busy = { body: "{}", contentType: "application/json", status: 429, headers: { "retry-after-ms": "1" } };
      server.answer(busy, answerOf(recording));
      const patient = retryModel(provider.model(url), { delayMs: 0 });
      expect((await streamedBy(patient)).length).toBeGreaterThan(0);
    },
  );

  it.each(["google 2 (v2)", "google 4 (v4)"])("%s: a recorded 429 says how long to wait", async (name) => {
    const provider = providers.find((one) => one.name === name) as Case["provider"];
    const body = readFileSync(join(folder ?? "", "google-generate-content", "google-429-retry-info.json"), "utf8");
    server.answer({ body, contentType: "application/json", status: 429 });
    const stop = new AbortController();
    const events: unknown[] = [];
    const onEvent = (_: unknown, event: unknown): void => {
      events.push(event);
      stop.abort();
    };
    const options = { callbacks: [{ onEvent }], signal: stop.signal };
    const patient = retryModel(provider.model(url), { maxDelayMs: 60_000, jitter: false });
    await runnable(patient)
      .invoke(question, options)
      .catch(() => undefined);
    expect(events).toMatchObject([{ kind: "retry", attempt: 1, delayMs: 34_400 }]);
    const error = await runnable(retryModel(provider.model(url)))
      .invoke(question)
      .catch((thrown: unknown) => thrown);
    expect(findCause(error, Error)).toMatchObject({ code: "NODE_FAILED", cause: { statusCode: 429 } });
  });

  describe.each(["openai 2 (responses, v2)", "openai 4 (chat, v4)", "anthropic 3 (v3)", "google 4 (v4)"])(
    "the model of %s",
    (name) => {
      const one = streamed.find((found) => found.provider.name === name && readable(found)) as Case;
      const checks =
        one === undefined ? [] : modelConformance(() => adapted(one.provider, url), { messages: question });
      // what is streamed and what is generated are two recordings of one request, not of one answer
      const own = checks.filter((check) => !check.name.includes("concatenate to the message of generate"));
      it.each(own)("$name", async ({ run, name: check }) => {
        const streams = !check.startsWith("generate");
        const { recording: whole } = cases.find(
          ({ provider, recording }) =>
            provider === one.provider && wholes.includes(recording.name) && !recording.streamed,
        ) as Case;
        if (check.startsWith("does not change")) server.answer(answerOf(whole), answerOf(one.recording));
        else server.answer(answerOf(streams ? one.recording : whole));
        await run();
      });
    },
  );
});
