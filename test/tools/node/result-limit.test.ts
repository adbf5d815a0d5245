import fc from "fast-check";
import { AgenticToolsNode } from "kumiko";
import { describe, expect, it } from "vitest";
import { ResultLimit } from "../../../src/tools/node/result-limit.js";
import { blocksOf, call, calls, textsOf, tool } from "./calls.js";

const cut = (limit: number, pieces: readonly string[]): string => {
  const limited = new ResultLimit(limit);
  return [...pieces.map((piece) => limited.push(piece)), limited.end()].filter((text) => text !== undefined).join("");
};

describe("maxResultLength", () => {
  const nodeWith = (value: unknown, maxResultLength: number) =>
    new AgenticToolsNode({ tools: [tool("a", () => value)], maxResultLength, onToolError: "result" });
  const message = calls(call("a"));

  it("cuts long results, and says so", async () => {
    const [text] = textsOf(await nodeWith("x".repeat(100), 40).invoke(message));
    expect(text).toHaveLength(40);
    expect(text).toMatch(/^x+… \[cut off\]$/);
  });

  it("leaves results that fit exactly", async () => {
    expect(textsOf(await nodeWith("x".repeat(40), 40).invoke(message))).toEqual(["x".repeat(40)]);
  });

  it("does not call cut JSON JSON", async () => {
    const whole = await nodeWith({ a: "x".repeat(10) }, 40).invoke(message);
    expect(blocksOf(whole)[0]?.resultType).toBe("json");
    const short = await nodeWith({ a: "x".repeat(100) }, 40).invoke(message);
    expect(blocksOf(short)[0]?.resultType).toBeUndefined();
  });

  it("counts the texts among parts together, and keeps the other parts", async () => {
    const image = { type: "image", url: "https://example.com/a.png" } as const;
    const parts = [
      { type: "text", text: "x".repeat(20) },
      image,
      { type: "text", text: "y".repeat(30) },
      image,
      { type: "text", text: "z" },
    ];
    const [block] = blocksOf(await nodeWith(parts, 40).invoke(message));
    expect(block?.result).toHaveLength(40);
    expect(block?.content?.map(({ type }) => type)).toEqual(["text", "image", "text", "image"]);
  });

  it("leaves the reason of an error readable", async () => {
    const failing = new AgenticToolsNode({
      tools: [
        tool("a", async function* () {
          yield "x".repeat(50);
          throw new Error("the reason is important");
        }),
      ],
      maxResultLength: 20,
      onToolError: "result",
    });
    expect(textsOf(await failing.invoke(message))[0]).toMatch(/^x+… \[cut off\]\nTool .* the reason is important$/);
  });
});

describe("a limit", () => {
  it("gives the same text however it is cut into pieces, never longer than the limit, never half a character", () => {
    const text = fc.array(fc.constantFrom("a", "😀", "bc", ""), { maxLength: 40 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (pieces, limit) => {
        const whole = pieces.join("");
        const result = cut(limit, pieces);
        expect(result).toBe(cut(limit, [whole]));
        expect(result.length).toBeLessThanOrEqual(limit);
        expect(new TextDecoder().decode(new TextEncoder().encode(result))).toBe(result);
        if (whole.length <= limit) expect(result).toBe(whole);
      }),
    );
  });

  it("gives out what surely fits at once", () => {
    const limited = new ResultLimit(100);
    expect(limited.push("first")).toBe("first");
    expect(limited.push("")).toBe("");
  });
});
