import fc from "fast-check";
import {
  type AgenticMessage,
  type AgenticModel,
  assistantMessage,
  createTool,
  functionToolCall,
  memoryStore,
  textOf,
  userInputImage,
  userInputText,
  userMessage,
} from "kumiko";
import {
  type AnyMiddleware,
  clearToolResults,
  createAgent,
  createMiddleware,
  summarize,
  trimMessages,
} from "kumiko/agents";
import { describe, expect, it } from "vitest";
import { isGiven, numberOfRuns } from "../../number-of-runs.js";
import { canBeSent } from "../agents.js";

/** The count of the contract, written down a second time. */
function counted(messages: readonly AgenticMessage[]): number {
  const ofText = (text: string): number =>
    [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) < 128 ? 0.25 : 1), 0);
  let tokens = 0;
  for (const { contentBlocks } of messages) {
    for (const block of contentBlocks) {
      if ("text" in block) tokens += ofText(block.text);
      if (block.type === "function_tool_call") tokens += ofText(block.arguments);
      if (block.type === "function_tool_result") tokens += ofText(block.result);
      if (block.type === "user_input_image") tokens += 1_500;
    }
  }
  return tokens;
}

interface Step {
  /** The length of the model's text, and of the results of so many calls before it. */
  readonly answer: number;
  readonly results: readonly number[];
}

interface Talk {
  readonly limit: number;
  readonly turns: readonly { readonly prompt: number; readonly letter: string; readonly steps: readonly Step[] }[];
  /** What the model reports, as a part of the real count; `undefined` for nothing. */
  readonly reports: readonly (number | undefined)[];
  readonly keepTurns: number;
  /** The lengths of the instructions of the agent, and of those that a middleware adds. */
  readonly instructions?: readonly number[];
}

const talks: fc.Arbitrary<Talk> = fc.record({
  limit: fc.integer({ min: 100, max: 600 }),
  turns: fc.array(
    fc.record({
      prompt: fc.integer({ min: 1, max: 900 }),
      letter: fc.constantFrom("x", "ü", "語", "😀"),
      steps: fc.array(
        fc.record({
          answer: fc.integer({ min: 1, max: 400 }),
          results: fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 2 }),
        }),
        { maxLength: 4 },
      ),
    }),
    { minLength: 2, maxLength: 14 },
  ),
  reports: fc.array(fc.option(fc.double({ min: 0.2, max: 6, noNaN: true }), { nil: undefined }), { minLength: 1 }),
  keepTurns: fc.integer({ min: 1, max: 4 }),
  instructions: fc.constantFrom([], [60], [0, 90], [40, 30], [1_000]),
});

interface Request {
  readonly messages: readonly AgenticMessage[];
  /** How tokens were counted when it was made. */
  readonly ratio: number;
}

/** Plays a conversation, and returns what the model was asked; each text is told apart by its first word. */
async function played({ turns, reports, instructions = [] }: Talk, middleware: AnyMiddleware[], overflows: unknown[]) {
  const requests: Request[] = [];
  let steps: Step[] = [];
  let ratio = 1;
  let names = 0;
  const textOfLength = (length: number, letter = "x"): string => `m${names++} ${letter.repeat(length)}`;
  const model: AgenticModel = {
    component: "model",
    type: "Laws",
    generate: (messages) => {
      requests.push({ messages, ratio });
      const report = reports[requests.length % reports.length];
      if (report !== undefined && counted(messages) > 0) {
        ratio = Math.min(4, Math.max(0.5, Math.round(report * counted(messages)) / counted(messages)));
      }
      const promptTokens = report === undefined ? undefined : Math.round(report * counted(messages));
      // a model that reports nothing useful changes nothing
      if (promptTokens === 0) ratio = requests.at(-1)?.ratio ?? 1;
      const usage =
        promptTokens === undefined
          ? {}
          : { tokenUsage: { promptTokens, completionTokens: 1, totalTokens: promptTokens + 1 } };
      const step = steps.shift();
      const text = { type: "assistant_gen_text", text: textOfLength(step?.answer ?? 5) } as const;
      const calls = (step?.results ?? []).map((length, index) =>
        functionToolCall({ callId: `c${names}-${index}`, name: "get", arguments: JSON.stringify({ length }) }),
      );
      return Promise.resolve(
        assistantMessage([text, ...calls], {
          responseMeta: { finishReason: calls.length > 0 ? "tool_calls" : "stop", ...usage },
        }),
      );
    },
    stream: () => {
      throw new Error("not streamed");
    },
  };
  const get = createTool({
    id: "get",
    description: "Gets.",
    inputSchema: { type: "object", properties: { length: { type: "number" } } },
    execute: (input) => textOfLength((input as { length: number }).length),
  });
  const store = memoryStore();
  const [ownLength = 0, addedLength = 0] = instructions;
  const adding = createMiddleware({ name: "adding", beforeStep: () => ({ addInstructions: "i".repeat(addedLength) }) });
  const all = addedLength > 0 ? [adding, ...middleware] : middleware;
  for (const { prompt, letter, steps: own } of turns) {
    steps = [...own];
    // each turn is one of another process
    const ownInstructions = ownLength > 0 ? { instructions: "i".repeat(ownLength) } : {};
    const agent = createAgent({ model, tools: [get], store, middleware: all, retry: false, ...ownInstructions });
    await agent.generate(textOfLength(prompt, letter), {
      threadId: "t",
      callbacks: [
        {
          onEvent: (_info, event) =>
            void ((event as { event?: { kind?: string } }).event?.kind === "context_overflow" && overflows.push(event)),
        },
      ],
    });
  }
  return requests;
}

const isPrompt = ({ role, contentBlocks }: AgenticMessage): boolean =>
  role === "user" && contentBlocks.some(({ type }) => type === "user_input_text");

/** The instructions, the newest prompt and the last round, which may be longer than any limit. */
function leastOf(messages: readonly AgenticMessage[]): AgenticMessage[] {
  const instructions = messages.filter(({ role }) => role === "system");
  const prompt = messages.findLastIndex(isPrompt);
  const round = messages.findLastIndex(({ role }) => role === "assistant");
  return [...instructions, ...messages.slice(prompt, prompt + 1), ...(round > prompt ? messages.slice(round) : [])];
}

const conversationOf = (messages: readonly AgenticMessage[]): AgenticMessage[] =>
  messages.filter(({ role }) => role !== "system");

function expectPrefixes(requests: readonly Request[], limit: number): void {
  for (const [index, { messages, ratio }] of requests.entries()) {
    const before = requests[index - 1]?.messages;
    if (before === undefined) continue;
    const isLonger = before.every((message, at) => JSON.stringify(message) === JSON.stringify(messages[at]));
    if (isLonger) continue;
    // it was cut: what there would have been without the cut was too long
    const last = before.at(-1);
    const from = messages.findIndex((message) => JSON.stringify(message) === JSON.stringify(last));
    // where that is gone too, nobody can tell from here
    if (from === -1) continue;
    const news = messages.slice(from + 1);
    expect(Math.ceil(counted([...before, ...news]) * ratio)).toBeGreaterThan(limit);
  }
}

const runs = (few: number) => ({ numRuns: numberOfRuns(few) });

describe("what a model is asked in a long conversation", () => {
  it("never has more than trimMessages allows, and grows between two cuts", { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(talks, async (talk) => {
        const overflows: unknown[] = [];
        const { limit, keepTurns } = talk;
        const requests = await played(talk, [trimMessages({ maxTokens: limit, keepTurns })], overflows);
        let tooLong = 0;
        for (const { messages, ratio } of requests) {
          expect(canBeSent(messages)).toBe(true);
          const first = conversationOf(messages)[0];
          expect(first && isPrompt(first)).toBe(true);
          if (Math.ceil(counted(messages) * ratio) <= limit) continue;
          tooLong += 1;
          expect(messages).toEqual(leastOf(messages));
        }
        expect(overflows).toHaveLength(tooLong);
        expectPrefixes(requests, limit);
      }),
      runs(15),
    );
  });

  it("has results that are cleared the oldest first, and grows between two cuts", { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(talks, async (talk) => {
        const requests = await played(talk, [clearToolResults({ atTokens: talk.limit, keepRounds: 1 })], []);
        for (const { messages } of requests) {
          expect(canBeSent(messages)).toBe(true);
          const results = messages.flatMap(({ contentBlocks }) =>
            contentBlocks.flatMap((block) => (block.type === "function_tool_result" ? [block.result] : [])),
          );
          const isCleared = results.map((result) => result.startsWith("[This result was cleared"));
          expect(isCleared).toEqual([...isCleared].sort((one, other) => Number(other) - Number(one)));
        }
        expectPrefixes(requests, talk.limit);
      }),
      runs(15),
    );
  });

  it("has one summary at most, of things that are nowhere else", { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(talks, fc.integer({ min: 1, max: 60 }), async (talk, length) => {
        const { limit, keepTurns } = talk;
        const covered = new Set<string>();
        const nameOf = (message: AgenticMessage): string[] => JSON.stringify(message).match(/"m\d+ /g) ?? [];
        const isSummary = ({ extra }: AgenticMessage): boolean => extra?.summary === true;
        let summaries = 0;
        let afterSummary = false;
        const writer: AgenticModel = {
          component: "model",
          type: "Writer",
          generate: (messages) => {
            const given = messages.slice(0, -1);
            expect(given.filter(isSummary).length).toBeLessThanOrEqual(1);
            expect(given.slice(1).some(isSummary)).toBe(false);
            const names = given.filter((message) => !isSummary(message)).flatMap(nameOf);
            for (const name of names) expect(covered.has(name), name).toBe(false);
            for (const name of names) covered.add(name);
            summaries += 1;
            afterSummary = true;
            return Promise.resolve(assistantMessage("s".repeat(length)));
          },
          stream: () => {
            throw new Error("not streamed");
          },
        };
        const overflows: unknown[] = [];
        const requests = await played(talk, [summarize({ model: writer, atTokens: limit, keepTurns })], overflows);
        for (const { messages } of requests) {
          expect(canBeSent(messages)).toBe(true);
          expect(messages.filter(isSummary).length).toBeLessThanOrEqual(1);
          const [first, ...others] = conversationOf(messages);
          expect(others.some(isSummary)).toBe(false);
          if (first && isSummary(first)) expect(textOf(first)).toContain("s".repeat(length));
        }
        expect(afterSummary).toBe(summaries > 0);
        expectPrefixes(requests, limit);
      }),
      runs(15),
    );
  });

  it("holds with countTokens of the agent, whose counts need not add up", async () => {
    await fc.assert(
      fc.asyncProperty(talks, async (talk) => {
        const count = (messages: readonly AgenticMessage[]): number => Math.round(counted(messages) * 1.3) + 7;
        const seen: number[] = [];
        const model: AgenticModel = {
          component: "model",
          type: "Counted",
          generate: (messages) => {
            if (messages.length > leastOf(messages).length) seen.push(count(messages));
            return Promise.resolve(assistantMessage("x".repeat(100)));
          },
          stream: () => {
            throw new Error("not streamed");
          },
        };
        const store = memoryStore();
        for (const { prompt, letter } of talk.turns) {
          const middleware = [trimMessages({ maxTokens: talk.limit })];
          const agent = createAgent({ model, store, middleware, countTokens: async (messages) => count(messages) });
          await agent.generate(letter.repeat(prompt), { threadId: "t" });
        }
        for (const tokens of seen) expect(tokens).toBeLessThanOrEqual(talk.limit);
      }),
      runs(10),
    );
  });
});

describe("a very long conversation", () => {
  /** Varied, but the same each time. */
  const length = (n: number, most: number): number => 1 + ((n * 7919) % most);

  it.each([1, 2, 3])("is held below its limit all the way, %i", { timeout: 600_000 }, async (seed) => {
    const count = isGiven ? 1_000 : 60;
    const limit = 1_000 * seed;
    const turns = Array.from({ length: count }, (_, n) => ({
      prompt: length(n + seed, 400),
      letter: n % 5 === 0 ? "語" : "x",
      steps: Array.from({ length: n % 3 }, (_, step) => ({
        answer: length(n + step, 200),
        results: [length(n * seed, 300)],
      })),
    }));
    const talk = { limit, turns, reports: [1.2, undefined, 0.9], keepTurns: 2 };
    let summaries = 0;
    const writer: AgenticModel = {
      component: "model",
      type: "Writer",
      generate: () => {
        summaries += 1;
        return Promise.resolve(assistantMessage("What was said."));
      },
      stream: () => {
        throw new Error("not streamed");
      },
    };
    const middleware = [
      summarize({ model: writer, atTokens: limit, keepTurns: 2 }),
      trimMessages({ maxTokens: limit * 2 }),
    ];
    const requests = await played(talk, middleware, []);
    for (const { messages, ratio } of requests) {
      expect(canBeSent(messages)).toBe(true);
      const tokens = counted(messages) * ratio;
      if (tokens > limit * 2) expect(messages).toEqual(leastOf(messages));
      expect(messages.filter(({ extra }) => extra?.summary === true).length).toBeLessThanOrEqual(1);
    }
    expect(summaries).toBeGreaterThan(0);
    expectPrefixes(requests, limit);
  });
});

describe("counting", () => {
  it("takes pictures and files for what they cost, also in results", async () => {
    const sizes: number[] = [];
    const model: AgenticModel = {
      component: "model",
      type: "Sizes",
      generate: (messages) => {
        sizes.push(messages.length);
        return Promise.resolve(assistantMessage("ok"));
      },
      stream: () => {
        throw new Error("not streamed");
      },
    };
    const agent = (maxTokens: number) =>
      createAgent({ model, middleware: [trimMessages({ maxTokens })], countTokens: undefined });
    const picture = userMessage([userInputText("look"), userInputImage({ url: "https://example.com/a.png" })]);
    const talk = [picture, assistantMessage("nice"), userMessage("and now?")];
    await agent(1_510).generate(talk);
    await agent(1_490).generate(talk);
    expect(sizes).toEqual([3, 1]);
  });

  it("refuses what is no number", async () => {
    for (const wrong of [Number.NaN, -1, "5", undefined]) {
      const agent = createAgent({
        model: { component: "model", generate: async () => assistantMessage("x") } as never,
        middleware: [trimMessages({ maxTokens: 10 })],
        countTokens: () => wrong as never,
      });
      await expect(agent.generate("Hi")).rejects.toThrow("countTokens must return a number");
    }
    expect(() => createAgent({ model: {} as never, countTokens: 5 as never })).toThrow();
  });
});
