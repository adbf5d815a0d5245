import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  functionToolCall,
  KumikoError,
  memoryStore,
  runnable,
  userMessage,
} from "kumiko";
import { createAgent } from "kumiko/agents";
import type { CustomModel } from "kumiko/components";
import { type CassetteOptions, cassette } from "kumiko/evals";
import { fallbackModel, retryModel } from "kumiko/models";
import { assistantGenText } from "kumiko/schema";
import { scriptedModel } from "kumiko/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "tape-")), "tape");
});
afterEach(() => {
  rmSync(join(folder, ".."), { recursive: true, force: true });
  vi.unstubAllEnvs();
});

const tapeOf = (mode: CassetteOptions["mode"], options: CassetteOptions = {}) => cassette(folder, { mode, ...options });
const files = (): string[] => readdirSync(folder).sort();
const contents = (): string =>
  files()
    .map((name) => name + readFileSync(join(folder, name), "utf8"))
    .join("\n");
const never = (): CustomModel => ({
  component: "model",
  type: "ScriptedModel",
  generate: async () => {
    throw new Error("A provider was called.");
  },
});
const asked = async (model: CustomModel | string, text: string, tape = tapeOf("auto")): Promise<string> => {
  const app = new Chain<readonly AgenticMessage[]>().appendModel(tape.model(model)).compile();
  const answer = await app.invoke([userMessage(text)]);
  return answer.contentBlocks.map((block) => ("text" in block ? block.text : "")).join("");
};
async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const chunk of stream) all.push(chunk);
  return all;
}

describe("a tape", () => {
  test("is a folder with a file per request, with sorted keys and a new line at the end", async () => {
    await asked(scriptedModel("Hello!"), "Say hello, please");
    const [name = ""] = files();
    expect(files()).toHaveLength(1);
    expect(name).toMatch(/^model-say-hello-please-[0-9a-f]{16}\.json$/);
    const text = readFileSync(join(folder, name), "utf8");
    expect(text.endsWith("}\n")).toBe(true);
    const content = JSON.parse(text);
    expect(Object.keys(content)).toEqual(["answers", "request", "version"]);
    expect(content.version).toBe(1);
  });

  test("answers again without a provider, and counts", async () => {
    await asked(scriptedModel("Hello!"), "Hi");
    const tape = tapeOf("replay");
    expect(await asked(never(), "Hi", tape)).toBe("Hello!");
    expect(await asked(never(), "Hi", tape)).toBe("Hello!");
    expect(tape.stats).toEqual({ replayed: 2, recorded: 0, reused: 1 });
  });

  test("keeps equal requests as a sequence, and starts again at its end", async () => {
    const tape = tapeOf("auto");
    const model = scriptedModel("one", "two");
    expect([await asked(model, "Hi", tape), await asked(model, "Hi", tape)]).toEqual(["one", "two"]);
    const replay = tapeOf("replay");
    const again = [];
    for (let index = 0; index < 3; index++) again.push(await asked(never(), "Hi", replay));
    expect(again).toEqual(["one", "two", "one"]);
  });

  test("keeps the answers of equal requests in the order of the calls, whichever came first", async () => {
    const waiting: (() => void)[] = [];
    let count = 0;
    const model: CustomModel = {
      component: "model",
      type: "ScriptedModel",
      generate: async () => {
        count += 1;
        const text = String(count);
        await new Promise<void>((resolve) => waiting.push(resolve));
        return assistantMessage(text);
      },
    };
    const tape = tapeOf("auto");
    const asking = [1, 2, 3].map(() => asked(model, "Hi", tape));
    while (waiting.length < 3) await new Promise(setImmediate);
    for (const [index, resume] of waiting.reverse().entries()) {
      resume();
      await asking[2 - index];
    }
    const replay = tapeOf("replay");
    const again = [];
    for (let index = 0; index < 3; index++) again.push(await asked(never(), "Hi", replay));
    expect(again).toEqual(await Promise.all(asking));
  });

  test("records all anew in the mode record", async () => {
    await asked(scriptedModel("old"), "Hi");
    const tape = tapeOf("record");
    const model = scriptedModel("new", "newer");
    await asked(model, "Hi", tape);
    await asked(model, "Hi", tape);
    const replay = tapeOf("replay");
    expect([await asked(never(), "Hi", replay), await asked(never(), "Hi", replay)]).toEqual(["new", "newer"]);
  });

  test("says what it has instead of an answer", async () => {
    await asked(scriptedModel("Hello!"), "Refund invoice inv_7 of 2026-11-28");
    const miss = await asked(never(), "Refund invoice inv_7 of 2026-11-29", tapeOf("replay")).catch((error) => error);
    expect(KumikoError.is(miss) && miss.code).toBe("TAPE_MISS");
    expect(miss.message).toContain(folder);
    expect(miss.message).toContain("messages[0].contentBlocks[0].text");
    expect(miss.message).toContain("2026-11-28");
    expect(miss.message).toContain("KUMIKO_TAPE=auto");
    expect(miss.message).toMatch(/pass ignore: \[\/.*\/g\]/);
  });

  test("ends the run with a miss, whatever would answer it", async () => {
    await asked(scriptedModel("Hello!"), "Hi");
    const other = scriptedModel("other");
    const tape = tapeOf("replay");
    const model = fallbackModel([retryModel(tape.model(never())), other]);
    const app = new Chain<string>()
      .append((text) => [userMessage(text)])
      .appendModel(model)
      .compile();
    await expect(app.invoke("Bye")).rejects.toMatchObject({ code: "TAPE_MISS" });
    await expect(readAll(app.stream("Bye"))).rejects.toMatchObject({ code: "TAPE_MISS" });
    expect(other.calls).toHaveLength(0);
    const catching = new Chain<string>()
      .append(async (text, ctx) => {
        try {
          await runnable(tape.model(never())).invoke([userMessage(text)], { parent: ctx });
        } catch {
          return "caught";
        }
        return "answered";
      })
      .compile();
    await expect(catching.invoke("Bye")).rejects.toMatchObject({ code: "TAPE_MISS" });
  });

  test("says when the folder is missing", async () => {
    await expect(asked(never(), "Hi", tapeOf("replay"))).rejects.toThrow(/does not exist/);
  });

  test("keeps lasting errors, and no temporary ones", async () => {
    const lasting = Object.assign(new Error("Bad request"), { name: "APICallError", statusCode: 400, code: "bad" });
    await expect(asked(scriptedModel(lasting), "Hi")).rejects.toThrow("Bad request");
    const tape = tapeOf("replay");
    const kept = await asked(never(), "Hi", tape).catch((error) => error);
    expect(kept.cause ?? kept).toMatchObject({ name: "APICallError", statusCode: 400, code: "bad" });
    const passing = Object.assign(new Error("Overloaded"), { statusCode: 529 });
    await expect(asked(scriptedModel(passing), "Other")).rejects.toThrow("Overloaded");
    expect(files()).toHaveLength(1);
  });

  test("streams replay their chunks, whole answers one; and each the other", async () => {
    const chunks = ["Hel", "lo"].map((text) =>
      assistantMessage(assistantGenText({ text, streamingMeta: { index: 0 } })),
    );
    const first = new Chain<readonly AgenticMessage[]>()
      .appendModel(tapeOf("auto").model(scriptedModel(chunks)))
      .compile();
    await readAll(first.stream([userMessage("Hi")]));
    const replay = new Chain<readonly AgenticMessage[]>().appendModel(tapeOf("replay").model(never())).compile();
    expect(await readAll(replay.stream([userMessage("Hi")]))).toHaveLength(2);
    expect(await asked(never(), "Hi", tapeOf("replay"))).toBe("Hello");
    await asked(scriptedModel("Whole"), "Other");
    expect(await readAll(replay.stream([userMessage("Other")]))).toHaveLength(1);
  });

  test("keeps no stream that was left", async () => {
    const chunks = ["a", "b", "c"].map((text) =>
      assistantMessage(assistantGenText({ text, streamingMeta: { index: 0 } })),
    );
    const app = new Chain<readonly AgenticMessage[]>()
      .appendModel(tapeOf("auto").model(scriptedModel(chunks)))
      .compile();
    for await (const _chunk of app.stream([userMessage("Hi")])) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(() => files()).toThrow();
  });

  test("masks secrets in requests, answers, chunks and file names", async () => {
    vi.stubEnv("MY_API_KEY", "ponmlkjihgfedcba");
    const secrets = [
      "sk-abcdefghijklmnopqrstuvwx",
      "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
      "xoxb-1234567890-abcdef",
      "AKIAIOSFODNN7EXAMPLE",
      "AIzaSyA1234567890abcdefghijklmnopqrstu",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk",
      "hunter2-of-the-url",
      "ponmlkjihgfedcba",
      "order-secret-9",
    ];
    const text = `${secrets.slice(0, 6).join(" ")} postgres://me:hunter2-of-the-url@host/db ponmlkjihgfedcba order-secret-9`;
    const spread = [text.slice(0, 8), text.slice(8, 70), text.slice(70)].map((part) =>
      assistantMessage(assistantGenText({ text: part, streamingMeta: { index: 0 } })),
    );
    const tape = tapeOf("auto", { secrets: [/order-secret-\d/] });
    const app = new Chain<readonly AgenticMessage[]>().appendModel(tape.model(scriptedModel(text, spread))).compile();
    const live = await app.invoke([userMessage(text)]);
    expect(live.contentBlocks[0]).toMatchObject({ text });
    await readAll(app.stream([userMessage("spread")]));
    for (const secret of secrets) expect(contents()).not.toContain(secret);
    expect(contents()).toContain("[MY_API_KEY]");
    vi.stubEnv("MY_API_KEY", undefined);
    const again = tapeOf("replay", { secrets: [/order-secret-\d/] });
    const masked = text.replace("ponmlkjihgfedcba order", "[MY_API_KEY] order");
    expect(await asked(never(), masked, again)).toContain("[MY_API_KEY]");
  });

  test("refuses files that it cannot read, by their paths", async () => {
    await asked(scriptedModel("Hello!"), "Hi");
    const [name = ""] = files();
    const good = readFileSync(join(folder, name), "utf8");
    for (const [content, said] of [
      [good.slice(0, 40), "is not JSON"],
      [JSON.stringify({ version: 1, request: {} }), "no list of answers"],
      [JSON.stringify({ version: 2, request: {}, answers: [] }), "version 2"],
      [JSON.stringify({ version: 1, request: {}, answers: [{}] }), "valid message"],
      [JSON.stringify({ version: 1, request: {}, answers: ["x"] }), "answers[0]"],
    ] as const) {
      writeFileSync(join(folder, name), content);
      for (const mode of ["replay", "auto"] as const) {
        const error = await asked(never(), "Hi", tapeOf(mode)).catch((thrown) => thrown);
        expect(error).toMatchObject({ code: "INVALID_TAPE" });
        expect(error.message).toContain(name);
        expect(error.message).toContain(said);
      }
    }
  });

  test("reads its mode from the environment", () => {
    vi.stubEnv("KUMIKO_TAPE", "sometimes");
    expect(() => cassette(folder)).toThrow(/KUMIKO_TAPE/);
    expect(() => cassette("")).toThrow(/folder/);
    expect(() => cassette("package.json", { mode: "auto" })).toThrow(/file/);
  });

  test("misses another model", async () => {
    await asked(scriptedModel("Hello!"), "Hi");
    const other = { ...never(), type: "other/model" } as CustomModel;
    await expect(asked(other, "Hi", tapeOf("replay"))).rejects.toThrow(/model:\n {2}recorded: "ScriptedModel"/);
  });
});

describe("tools on a tape", () => {
  const call = (args: object, callId = "1") =>
    assistantMessage([functionToolCall({ callId, name: "lookup", arguments: JSON.stringify(args) })]);
  const lookup = (execute: (input: { id: string }) => unknown, more: object = {}) =>
    createTool({ id: "lookup", description: "Looks up.", inputSchema: z.object({ id: z.string() }), execute, ...more });
  const node = (tape: ReturnType<typeof cassette>, tool: ReturnType<typeof lookup>, options: object = {}) =>
    new Chain<AgenticMessage>().append(new AgenticToolsNode({ tools: tape.tools([tool]), ...options })).compile();
  const resultOf = (messages: readonly AgenticMessage[]) => messages[0]?.contentBlocks[0];

  test("give their values, streams and errors again", async () => {
    const live = () => {
      throw new Error("The tool ran.");
    };
    const value = await node(
      tapeOf("auto"),
      lookup(({ id }) => ({ b: 1, a: id })),
    ).invoke(call({ id: "x" }));
    expect(resultOf(await node(tapeOf("replay"), lookup(live)).invoke(call({ id: "x" })))).toEqual(resultOf(value));
    async function* stream({ id }: { id: string }) {
      yield "a";
      yield id;
    }
    const streamed = await node(tapeOf("auto"), lookup(stream)).invoke(call({ id: "y" }));
    async function* broken(): AsyncGenerator<string> {
      yield live();
    }
    const replay = node(tapeOf("replay"), lookup(broken));
    expect(resultOf(await replay.invoke(call({ id: "y" })))).toEqual(resultOf(streamed));
    const fails = lookup(() => {
      throw new Error("No such invoice");
    });
    const error = await node(tapeOf("auto"), fails, { onToolError: "result" }).invoke(call({ id: "z" }));
    const again = await node(tapeOf("replay"), lookup(live), { onToolError: "result" }).invoke(call({ id: "z" }));
    expect(resultOf(again)).toEqual(resultOf(error));
    expect(resultOf(again)).toMatchObject({ isError: true, result: expect.stringContaining("No such invoice") });
  });

  test("are validated and approved as ever", async () => {
    const paid = lookup(({ id }) => `paid ${id}`, { requireApproval: true });
    const agentOf = (mode: CassetteOptions["mode"]) => {
      const tape = tapeOf(mode);
      const model = scriptedModel(call({ id: "x" }), assistantMessage("done"));
      return createAgent({ model, tools: tape.tools([paid]), store: memoryStore() });
    };
    for (const mode of ["auto", "replay"] as const) {
      const agent = agentOf(mode);
      const held = await agent.generate("Pay");
      expect(held.finishReason).toBe("waiting");
      const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
      expect(JSON.stringify(done.messages)).toContain("paid x");
    }
    const invalid = await node(tapeOf("replay"), paid, { onToolError: "result" }).invoke(call({ id: 5 }));
    expect(resultOf(invalid)).toMatchObject({ errorKind: "validation" });
  });

  test("refuse what JSON cannot hold, by the name of the tool", async () => {
    const app = node(
      tapeOf("auto"),
      lookup(() => ({ at: new Date() })),
    );
    await expect(app.invoke(call({ id: "x" }))).rejects.toThrow(/"lookup".*at is an instance of Date/s);
  });

  test("that run children pass through, and what they call is on the tape", async () => {
    const run = async (mode: CassetteOptions["mode"], model: CustomModel) => {
      const tape = tapeOf(mode);
      const inner = new Chain<readonly AgenticMessage[]>().appendModel(tape.model(model)).compile();
      let calls = 0;
      const tool = createTool({
        id: "lookup",
        description: "Looks up.",
        execute: async (_input, ctx) => {
          calls += 1;
          return (await inner.invoke([userMessage("inner")], { parent: ctx })).contentBlocks.length;
        },
      });
      const app = new Chain<AgenticMessage>().append(new AgenticToolsNode({ tools: tape.tools([tool]) })).compile();
      return [resultOf(await app.invoke(call({}))), calls];
    };
    const recorded = await run("auto", scriptedModel("Hello!"));
    expect(recorded[1]).toBe(1);
    expect(await run("replay", never())).toEqual(recorded);
  });
});

describe("embedders and functions on a tape", () => {
  test("embed text by text, exactly", async () => {
    const asked: string[][] = [];
    const embedder = {
      component: "embedder" as const,
      type: "test/embedder",
      embed: async (texts: readonly string[]) => {
        asked.push([...texts]);
        return texts.map((text) => [text.length / 3, Math.fround(0.1), -0]);
      },
    };
    const tape = tapeOf("auto");
    const first = await runnable(tape.embedder(embedder)).invoke(["a", "bb", "a"]);
    const second = await runnable(tape.embedder(embedder)).invoke(["bb", "ccc", "a"]);
    expect(asked).toEqual([["a", "bb"], ["ccc"]]);
    const again = await runnable(tapeOf("replay").embedder(embedder)).invoke(["ccc", "a", "bb"]);
    expect(again).toEqual([second[1], first[0], first[1]]);
    expect(asked).toHaveLength(2);
    await expect(runnable(tapeOf("replay").embedder(embedder)).invoke(["new"])).rejects.toMatchObject({
      code: "TAPE_MISS",
    });
  });

  test("wrap a function by its name and arguments", async () => {
    const search = async (query: string, { limit }: { limit: number }) => ({ query, limit, found: ["b", "a"] });
    const live = await tapeOf("auto").wrap("search", search)("nails", { limit: 2 });
    const broken: typeof search = async () => {
      throw new Error("It ran.");
    };
    const replay = tapeOf("replay").wrap("search", broken);
    expect(await replay("nails", { limit: 2 })).toEqual(live);
    await expect(replay("nails", { limit: 3 })).rejects.toMatchObject({ code: "TAPE_MISS" });
  });
});
