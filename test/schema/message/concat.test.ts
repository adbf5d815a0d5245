import {
  type AgenticMessage,
  assistantMessage,
  type ContentBlock,
  concatMessages,
  functionToolCall,
  KumikoError,
  userInputText,
  userMessage,
} from "kumiko";
import { assistantGenText, type ResponseMeta, reasoning } from "kumiko/schema";
import { describe, expect, it } from "vitest";

const at = (index: number) => ({ streamingMeta: { index } });
const text = (index: number, words: string) => assistantMessage(assistantGenText({ text: words, ...at(index) }));
const meta = (responseMeta: ResponseMeta) => assistantMessage([], { responseMeta });

/** A deep copy that throws when something tries to change it. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) frozen(child);
  return Object.freeze(value);
}

function errorOf(chunks: readonly unknown[]): KumikoError {
  try {
    concatMessages(chunks as readonly AgenticMessage[]);
  } catch (error) {
    if (error instanceof KumikoError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("blocks with a streaming index", () => {
  it("join by index, stand in its order and lose it", () => {
    const call = functionToolCall({ callId: "1", name: "get_weather", arguments: '{"ci', ...at(7) });
    const message = concatMessages([
      assistantMessage([call, assistantGenText({ text: "Hel", ...at(2) })]),
      assistantMessage([assistantGenText({ text: "lo", ...at(2) }), reasoning({ text: "hm", ...at(0) })]),
      assistantMessage(functionToolCall({ callId: "", name: "", arguments: 'ty":1}', ...at(7) })),
    ]);
    expect(message).toStrictEqual({
      role: "assistant",
      contentBlocks: [
        { type: "reasoning", text: "hm" },
        { type: "assistant_gen_text", text: "Hello" },
        { type: "function_tool_call", callId: "1", name: "get_weather", arguments: '{"city":1}' },
      ],
    });
  });

  it("lose it in a lone message too", () => {
    expect(concatMessages([text(3, "Hello")])).toStrictEqual(assistantMessage("Hello"));
  });

  it("join within one message", () => {
    const message = assistantMessage([
      assistantGenText({ text: "a", ...at(1) }),
      assistantGenText({ text: "b", ...at(1) }),
    ]);
    expect(concatMessages([message])).toStrictEqual(assistantMessage("ab"));
  });

  it("must be of one type per index", () => {
    const error = errorOf([text(4, "a"), assistantMessage(reasoning({ text: "b", ...at(4) }))]);
    expect(error.code).toBe("CANNOT_CONCAT");
    expect(error.message).toMatch(/content block type mismatch at index 4: "assistant_gen_text" and then "reasoning"/);
  });

  it("need an integer as index", () => {
    expect(errorOf([{ role: "user", contentBlocks: [{ type: "reasoning", text: "", streamingMeta: {} }] }]).code).toBe(
      "INVALID_MESSAGE",
    );
  });
});

describe("blocks without a streaming index", () => {
  it("are appended in order, and never merged", () => {
    const message = concatMessages([assistantMessage("a"), assistantMessage(["b", "c"].map(assistantGenText))]);
    expect(message).toStrictEqual(assistantMessage(["a", "b", "c"].map(assistantGenText)));
  });

  it("do not mix with streaming ones, in either order", () => {
    const after = errorOf([text(0, "a"), assistantMessage("b")]);
    const before = errorOf([assistantMessage("b"), text(0, "a")]);
    expect([after.code, before.code]).toEqual(["CANNOT_CONCAT", "CANNOT_CONCAT"]);
    expect(after.message).toContain("found non-streaming block after streaming blocks");
    expect(before.message).toContain("found streaming block after non-streaming blocks");
  });
});

describe("a list of chunks", () => {
  it("must not be empty", () => expect(errorOf([]).code).toBe("CANNOT_CONCAT"));

  it.each([null, undefined])("must not hold %s", (nothing) => {
    const error = errorOf([text(0, "a"), nothing]);
    expect(error.code).toBe("INVALID_MESSAGE");
    expect(error.message).toContain(`index 1 is ${nothing}`);
  });

  it("skips blocks that are null or undefined", () => {
    const chunk = { role: "assistant", contentBlocks: [null, assistantGenText("a"), undefined] };
    expect(concatMessages([chunk as unknown as AgenticMessage])).toStrictEqual(assistantMessage("a"));
  });

  it("must agree on the role", () => {
    const error = errorOf([userMessage("a"), assistantMessage("b")]);
    expect(error.code).toBe("CANNOT_CONCAT");
    expect(error.message).toContain('different roles: "user", and "assistant" at index 1');
  });

  it("may leave the role out, but not everywhere", () => {
    const nameless = { contentBlocks: [assistantGenText("b")] };
    expect(concatMessages([assistantMessage("a"), nameless as unknown as AgenticMessage]).role).toBe("assistant");
    expect(errorOf([nameless, nameless]).code).toBe("INVALID_MESSAGE");
  });

  it("is never changed", () => {
    const chunk = (n: number): AgenticMessage => ({
      role: "assistant",
      contentBlocks: [{ type: "reasoning", text: "a", streamingMeta: { index: 0 }, extra: { deep: { text: `${n}` } } }],
      responseMeta: {
        openaiExtension: { id: `${n}` },
        tokenUsage: { promptTokens: n, completionTokens: 0, totalTokens: n },
      },
      extra: { list: n === 1 ? ["x"] : [], deep: { text: `${n}` } },
    });
    expect(() => concatMessages([frozen(chunk(1)), frozen(chunk(2))])).not.toThrow();
  });

  it("joins ten thousand pieces", () => {
    const chunks = Array.from({ length: 10_000 }, (_, n) => ({
      ...text(0, `${n},`),
      extra: { trace: "x", nested: { text: "y" } },
    }));
    const { contentBlocks, extra } = concatMessages(chunks);
    expect(contentBlocks).toEqual([assistantGenText(chunks.map((_, n) => `${n},`).join(""))]);
    expect(extra).toEqual({ trace: "x".repeat(10_000), nested: { text: "y".repeat(10_000) } });
  });
});

describe("responseMeta", () => {
  it("keeps the largest count of each kind of token", () => {
    const message = concatMessages([
      meta({ tokenUsage: { promptTokens: 9, completionTokens: 1, totalTokens: 10, cachedTokens: 4 } }),
      meta({ tokenUsage: { promptTokens: 9, completionTokens: 5, totalTokens: 14, reasoningTokens: 2 } }),
      meta({ tokenUsage: { promptTokens: 0, completionTokens: 3, totalTokens: 3 } }),
    ]);
    expect(message.responseMeta).toStrictEqual({
      tokenUsage: { promptTokens: 9, completionTokens: 5, totalTokens: 14, reasoningTokens: 2, cachedTokens: 4 },
    });
  });

  it("keeps the last finish reason that is not empty", () => {
    const metas = [{ finishReason: "length" }, { finishReason: "stop" }, { finishReason: "" }, {}];
    expect(concatMessages(metas.map(meta)).responseMeta).toStrictEqual({ finishReason: "stop" });
  });

  it("is absent when no chunk has one", () => {
    expect(concatMessages([text(0, "a"), text(0, "b")])).not.toHaveProperty("responseMeta");
  });

  it("keeps the last filled field of a provider's extension", () => {
    const metas: ResponseMeta[] = [
      { openaiExtension: { id: "r1", status: "in_progress" } },
      { openaiExtension: { id: "", status: "completed" } },
    ];
    expect(concatMessages(metas.map(meta)).responseMeta).toStrictEqual({
      openaiExtension: { id: "r1", status: "completed" },
    });
  });

  it("joins an extension of another provider as free values", () => {
    const metas: ResponseMeta[] = [{ extension: { id: "a", cost: 1 } }, { extension: { id: "b", cost: 2 } }];
    expect(concatMessages(metas.map(meta)).responseMeta).toStrictEqual({ extension: { id: "ab", cost: 2 } });
  });

  it("has the extension of one provider only", () => {
    const error = errorOf([meta({ claudeExtension: { id: "a" } }), meta({ geminiExtension: { id: "b" } })]);
    expect(error.code).toBe("CANNOT_CONCAT");
    expect(error.message).toContain(
      "inconsistent extension types in responseMeta: claudeExtension and geminiExtension",
    );
  });
});

describe("extra", () => {
  const joinExtras = (...extras: Record<string, unknown>[]) =>
    concatMessages(extras.map((extra) => assistantMessage([], { extra }))).extra;

  it("joins strings, keeps the last number and boolean, and goes into records", () => {
    expect(
      joinExtras(
        { text: "a", n: 1, on: true, deep: { text: "x", n: 1 } },
        {},
        { text: "b", n: 2, on: false, deep: { text: "y" } },
      ),
    ).toStrictEqual({ text: "ab", n: 2, on: false, deep: { text: "xy", n: 1 } });
  });

  it("takes a list that only one chunk fills", () => {
    expect(joinExtras({ list: [] }, { list: [1] }, { list: null })).toStrictEqual({ list: [1] });
  });

  it.each([
    [{ a: "x" }, { a: 1 }, /extra of the message\.a is string in one chunk and number in another/],
    [{ a: { b: [1] } }, { a: { b: [2] } }, /extra of the message\.a\.b is array in 2 chunks/],
  ])("refuses %j and %j", (left, right, words) => {
    expect(() => joinExtras(left, right)).toThrow(words);
    expect(() => joinExtras(left, right)).toThrow(expect.objectContaining({ code: "CANNOT_CONCAT" }));
  });

  it("keeps a key named __proto__ as data", () => {
    const extra = JSON.parse('{"__proto__":"a"}') as Record<string, unknown>;
    expect(JSON.stringify(joinExtras(extra, extra))).toBe('{"__proto__":"aa"}');
  });

  it("of blocks joins by the same rules", () => {
    const block = (extra: Record<string, unknown>): ContentBlock => ({ type: "reasoning", text: "", extra, ...at(0) });
    const join = (...extras: Record<string, unknown>[]) => concatMessages([assistantMessage(extras.map(block))]);
    expect(join({ id: "a" }, { id: "b" }).contentBlocks[0]?.extra).toEqual({ id: "ab" });
    expect(() => join({ id: "a" }, { id: 1 })).toThrow(/extra of the reasoning block at index 0\.id is string/);
  });
});

it("keeps a lone message without streaming blocks as it is", () => {
  const message = userMessage([userInputText("a"), userInputText("b")], { extra: { id: 1 } });
  expect(concatMessages([message])).toStrictEqual(message);
});
