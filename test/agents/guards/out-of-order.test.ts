import fc from "fast-check";
import { type AgenticMessage, assistantMessage, type ContentBlock, createTool, textOf } from "kumiko";
import { type AgentEvent, type AgentResult, createAgent, type GuardOptions, guard, piiGuard } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { eventsOf } from "../agents.js";

const look = createTool({ id: "look", description: "Looks.", inputSchema: z.object({}), execute: () => "seen" });
const noSecrets: GuardOptions = {
  name: "no-secrets",
  output: (text) => (text.includes("secret") ? { block: "It tells a secret." } : undefined),
};
const noPins: GuardOptions = {
  name: "no-pins",
  output: (text) => (text.includes("4711") ? { replace: text.replaceAll("4711", "****") } : undefined),
};

type Piece = readonly [index: number, text: string];

const piece = ([index, text]: Piece, others: object = {}): AgenticMessage =>
  assistantMessage([{ type: "assistant_gen_text", text, streamingMeta: { index, ...others } }]);

function agentOf(chunks: readonly AgenticMessage[], ...guards: GuardOptions[]) {
  const middleware = guards.map((one) => guard(one));
  return createAgent({ model: scriptedModel([...chunks], "done"), tools: [look], middleware });
}

async function streamed(chunks: readonly AgenticMessage[], ...guards: GuardOptions[]) {
  const stream = agentOf(chunks, ...guards).stream("Hi");
  const events = await eventsOf(stream);
  return { events, text: readText(events), result: await stream.result };
}

/** What a reader has in the end who drops what is void, block by block. */
function readText(events: readonly AgentEvent[]): string {
  const blocks: string[] = [];
  for (const event of events) {
    if (event.type === "restart") blocks.length = 0;
    if (event.type === "text_delta") blocks[event.index] = (blocks[event.index] ?? "") + event.delta;
  }
  return blocks.join("");
}

const outcome = ({ text, messages, blocked, finishReason }: AgentResult) => ({
  text,
  messages: messages.map(textOf),
  blocked,
  finishReason,
});

describe("text that comes back to an earlier block", () => {
  it.each<readonly [string, readonly AgenticMessage[]]>([
    ["after another text", [piece([0, "sec"]), piece([1, " and so on"]), piece([0, "ret"])]],
    ["whose first block comes later", [piece([1, "ret"]), piece([0, "sec"])]],
    [
      "after reasoning",
      [
        piece([0, "sec"]),
        assistantMessage([{ type: "reasoning", text: "Hm.", streamingMeta: { index: 1 } }]),
        piece([0, "ret"]),
      ],
    ],
    [
      "after a call",
      [
        piece([0, "sec"]),
        assistantMessage([
          { type: "function_tool_call", callId: "1", name: "look", arguments: "{}", streamingMeta: { index: 1 } },
        ]),
        piece([0, "ret"]),
      ],
    ],
    ["when much of it is out", [piece([0, `${"x".repeat(500)}sec`]), piece([1, "y".repeat(500)]), piece([0, "ret"])]],
    ["that begins again", [piece([0, "sec"]), piece([0, "a secret"], { restart: true })]],
  ])("is judged as it is read in the end: %s", async (_name, chunks) => {
    const { events, text, result } = await streamed(chunks, noSecrets);
    expect(result).toMatchObject({ text: "I cannot help with that.", blocked: { on: "output" } });
    expect(text).toBe("I cannot help with that.");
    expect(result.messages.flatMap(textOf).join("")).not.toContain("secret");
    const whole = await agentOf(chunks, noSecrets).generate("Hi");
    expect(outcome(whole)).toEqual(outcome(result));
    expect(events.filter(({ type }) => type === "blocked")).toHaveLength(1);
  });

  it("stays as it is where nothing is found", async () => {
    const chunks = [piece([0, "a"]), piece([1, "c"]), piece([0, "b"])];
    const { text, result, events } = await streamed(chunks, noSecrets);
    expect(text).toBe("abc");
    expect(result.text).toBe("abc");
    expect(events.at(-1)).toMatchObject({ type: "finish" });
    expect(outcome(await createAgent({ model: scriptedModel([...chunks]) }).generate("Hi"))).toEqual(outcome(result));
  });

  it("makes the same of all orders of all pieces", async () => {
    const words = fc.constantFrom(
      "sec",
      "ret",
      "secret ",
      "47",
      "11",
      "4711 ",
      "x".repeat(190),
      "y".repeat(260),
      " ",
      "",
    );
    const pieces = fc.array(fc.tuple(fc.nat(3), words), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.boolean(), async (given, blocks) => {
        const chunks = given.map((one) => piece(one));
        const guards = blocks ? [noSecrets, noPins] : [noPins];
        const { text, result } = await streamed([...chunks, piece([9, "!"])], ...guards);
        const whole = await agentOf([...chunks, piece([9, "!"])], ...guards).generate("Hi");
        expect(outcome(result)).toEqual(outcome(whole));
        expect(text).toBe(result.text);
        expect(result.text).not.toContain("4711");
        if (blocks) expect(result.text).not.toContain("secret");
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 60) },
    );
  });
});

describe("a whole answer", () => {
  it("that is replaced by nothing is nothing, streamed or not", async () => {
    const nothing: GuardOptions = { name: "nothing", output: () => ({ replace: "" }) };
    for (const chunks of [[piece([0, "abc"])], [assistantMessage("abc")]]) {
      expect((await streamed(chunks, nothing)).result.text).toBe("");
      expect((await agentOf(chunks, nothing).generate("Hi")).text).toBe("");
    }
  });

  it("that is structured is judged as one text, also where it comes in blocks", async () => {
    const blocks: ContentBlock[] = ['{"pin":"47', '11"}'].map((text) => ({ type: "assistant_gen_text", text }));
    const indexed = [piece([1, '11"}']), piece([0, '{"pin":"47'])];
    for (const chunks of [[assistantMessage(blocks)], indexed]) {
      const make = () =>
        createAgent({
          model: scriptedModel(chunks),
          output: z.object({ pin: z.string() }),
          outputMode: "native",
          middleware: [guard(noPins)],
        });
      const stream = make().stream("Hi");
      await eventsOf(stream);
      expect((await stream.result).output).toEqual({ pin: "****" });
      expect((await make().generate("Hi")).output).toEqual({ pin: "****" });
    }
  });
});

it("a guard is not asked for every word, and no text waits longer than it has to", async () => {
  let asked = 0;
  const counting: GuardOptions = { name: "counting", output: () => void asked++ };
  const chunks = Array.from({ length: 1_000 }, () => piece([0, "word "]));
  const { text, events } = await streamed(chunks, counting);
  expect(text).toBe("word ".repeat(1_000));
  expect(asked).toBeLessThan(200);
  expect(events.filter(({ type }) => type === "text_delta").length).toBeGreaterThan(100);
  const { result } = await streamed([...chunks, piece([0, "ann@example.com"])], piiGuard());
  expect(result.text.endsWith("[email]")).toBe(true);
});
