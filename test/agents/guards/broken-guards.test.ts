import { type AgenticMessage, assistantMessage, createTool, memoryStore, textOf } from "kumiko";
import { createAgent, type GuardOptions, guard, threads } from "kumiko/agents";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, canBeSent, eventsOf, failureOf, resultTexts } from "../agents.js";

type Part = "input" | "output" | "toolCall";
type Method = "generate" | "stream";
const parts: readonly Part[] = ["input", "output", "toolCall"];
const long = "All is well. ".repeat(100);
/** The same in pieces, as a model writes it. */
const pieces: readonly AgenticMessage[] = (long.match(/.{1,50}/g) ?? []).map((text) =>
  assistantMessage([{ type: "assistant_gen_text", text, streamingMeta: { index: 0 } }]),
);
const inThread = { threadId: "t" };

/** Judges only once it is asked so often: streamed answers come in pieces. */
const brokenAt = (nth: number, work: () => unknown) => {
  let count = 0;
  return (): never => {
    count += 1;
    return (count >= nth ? work() : undefined) as never;
  };
};

const failures: Record<string, () => unknown> = {
  throws: () => {
    throw new Error("Why not.");
  },
  "throws nothing": () => {
    throw undefined;
  },
  rejects: () => Promise.reject(new Error("Why not.")),
  "returns a text": () => "yes",
  "returns both": () => ({ replace: "a", block: "b" }),
  "returns a number to block": () => ({ block: 1 }),
  "returns an array": async () => [],
  "returns null": () => null,
};

function setUp(part: Part, judge: () => unknown, nth = 1) {
  const store = memoryStore();
  const ran: string[] = [];
  const book = createTool({
    id: "book",
    description: "Books.",
    inputSchema: z.object({}),
    execute: () => {
      ran.push("book");
      return "booked";
    },
  });
  const options: GuardOptions = { name: "broken", reply: "Sorry.", [part]: brokenAt(nth, judge) };
  const make = (guards: GuardOptions[], ...script: ScriptEntry[]) =>
    createAgent({ model: scriptedModel(...script), store, tools: [book], middleware: guards.map(guard) });
  const agent = make([options], ...(part === "toolCall" ? [[call("1", "book")]] : []), pieces);
  const said = async () => (await threads(store).messages("t")).map(textOf);
  return { agent, make, said, ran, store };
}

describe.each(parts)("a guard whose %s is broken", (part) => {
  it.each(
    Object.entries(failures).flatMap(([name, work]) =>
      (["generate", "stream"] as const).map((how) => [name, how, work] as const),
    ),
  )("blocks: it %s, with %s", async (_name, how: Method, work) => {
    const { agent, make, said, ran } = setUp(part, work);
    const stream = how === "stream" ? agent.stream("Hi", inThread) : undefined;
    const events = stream && (await eventsOf(stream));
    const result = await (stream?.result ?? agent.generate("Hi", inThread));
    expect(JSON.stringify([events ?? [], await said()])).not.toContain("Why not.");
    expect(ran).toEqual([]);
    if (part === "toolCall") {
      expect(result).toMatchObject({ finishReason: "stop", text: long });
      expect(resultTexts(result.messages)).toHaveLength(1);
    } else {
      const blocked = { guard: "broken", on: part, reason: expect.any(String) };
      expect(result).toMatchObject({ finishReason: "content_filter", text: "Sorry.", blocked });
    }
    expect((await make([], "Next.").generate("Go on", inThread)).text).toBe("Next.");
  });

  it.each(["generate", "stream"] as const)(
    "and never answers is left by a stop, and nothing that it has not judged is read, with %s",
    async (how) => {
      const stop = new AbortController();
      const { agent, make, said, ran, store } = setUp(part, () => {
        stop.abort(new Error("enough"));
        return new Promise(() => undefined);
      });
      const options = { ...inThread, signal: stop.signal };
      const events: unknown[] = [];
      const reading = async (): Promise<void> => {
        for await (const event of agent.stream("Hi", options)) events.push(event);
      };
      expect((await failureOf(how === "stream" ? reading() : agent.generate("Hi", options))).message).toBe("enough");
      expect(JSON.stringify([events, await said()])).not.toContain("All is well");
      expect(ran).toEqual([]);
      expect(canBeSent(await threads(store).messages("t"))).toBe(true);
      expect((await make([], "Next.").generate("Go on", inThread)).text).toBe("Next.");
    },
  );
});

describe("a guard of outputs that breaks in the middle of an answer", () => {
  it("voids what is out", async () => {
    const { agent } = setUp("output", () => Promise.reject(new Error("Why not.")), 3);
    const events = await eventsOf(agent.stream("Hi", inThread));
    const types = events.map(({ type }) => type);
    expect(types.indexOf("text_delta")).toBeLessThan(types.indexOf("restart"));
    const after = events.slice(types.indexOf("restart") + 1);
    expect(after.flatMap((event) => (event.type === "text_delta" ? [event.delta] : [])).join("")).toBe("Sorry.");
  });

  it("or never answers, and is left by a stop: what is out stays, and no more", async () => {
    const stop = new AbortController();
    const hangs = () => {
      stop.abort(new Error("enough"));
      return new Promise(() => undefined);
    };
    const { agent, said } = setUp("output", hangs, 3);
    let text = "";
    const reading = async (): Promise<void> => {
      for await (const event of agent.stream("Hi", { ...inThread, signal: stop.signal }))
        if (event.type === "text_delta") text += event.delta;
    };
    expect((await failureOf(reading())).message).toBe("enough");
    expect(text).not.toBe("");
    expect(text.length).toBeLessThan(long.length - 200);
    expect(await said()).toEqual(["Hi", text]);
  });
});
