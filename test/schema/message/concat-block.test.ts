import { assistantMessage, type ContentBlock, concatMessages, type FunctionToolResult } from "kumiko";
import type { ToolResultContent } from "kumiko/schema";
import * as make from "kumiko/schema";
import { describe, expect, it } from "vitest";

/** Joins pieces of one block, each in a chunk of its own. */
function join(...pieces: readonly ContentBlock[]): unknown {
  const chunks = pieces.map((piece) => assistantMessage({ ...piece, streamingMeta: { index: 5 } }));
  return concatMessages(chunks).contentBlocks[0];
}

describe("texts and reasoning", () => {
  it("join text and signature", () => {
    expect(
      join(make.reasoning({ text: "a", signature: "s1" }), make.reasoning({ text: "b", signature: "s2" })),
    ).toEqual(make.reasoning({ text: "ab", signature: "s1s2" }));
  });

  it("join reasoning parts by index, in order of the index", () => {
    const part = (index: number, text: string) =>
      make.reasoning({ text: "", openaiExtension: { content: [{ index, text }] } });
    expect(join(part(1, "x"), part(0, "a"), part(1, "y"))).toEqual(
      make.reasoning({ text: "", openaiExtension: { content: [{ text: "a" }, { text: "xy" }] } }),
    );
  });

  it("append reasoning parts without index, and refuse a mix", () => {
    const part = (index: number | undefined) =>
      make.reasoning({ text: "", openaiExtension: { content: [{ index, text: "x" }] } });
    expect(join(part(undefined), part(undefined))).toMatchObject({
      openaiExtension: { content: [{ text: "x" }, { text: "x" }] },
    });
    expect(() => join(part(0), part(undefined))).toThrow(/mix of indexed and non-indexed content/);
  });

  it("sort annotations by index, join refusals, append citations", () => {
    const annotation = (index: number) =>
      make.assistantGenText({
        text: "a",
        openaiExtension: {
          annotations: [{ index, type: "file_path", filePath: { index } }],
          refusal: { reason: "no" },
        },
        claudeExtension: { citations: [{ type: "page_location" }] },
      });
    expect(join(annotation(1), annotation(0))).toEqual({
      type: "assistant_gen_text",
      text: "aa",
      openaiExtension: {
        refusal: { reason: "nono" },
        annotations: [
          { type: "file_path", filePath: { index: 0 } },
          { type: "file_path", filePath: { index: 1 } },
        ],
      },
      claudeExtension: { citations: [{ type: "page_location" }, { type: "page_location" }] },
    });
    expect(() => join(annotation(3), annotation(3))).toThrow(/duplicate annotation index 3/);
  });

  it("join an extension of another provider as free values", () => {
    const piece = (extension: unknown) => make.assistantGenText({ text: "", extension });
    expect(join(piece({ a: "x" }), piece({ a: "y", b: 1 }))).toEqual(piece({ a: "xy", b: 1 }));
  });

  it("refuse a text that is no string", () => {
    const piece = { type: "reasoning", text: 1 } as unknown as ContentBlock;
    expect(() => join(piece, piece)).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE" }));
  });
});

describe("generated media", () => {
  it.each([make.assistantGenImage, make.assistantGenAudio, make.assistantGenVideo])("join base64 data", (piece) => {
    expect(
      join(piece({ base64Data: "aa", mimeType: "x/y" }), piece({ base64Data: "bb" }), piece({ mimeType: "x/y" })),
    ).toEqual(piece({ base64Data: "aabb", mimeType: "x/y" }));
  });

  it("must agree on URL and MIME type", () => {
    const error = expect.objectContaining({ code: "CANNOT_CONCAT" });
    expect(() => join(make.assistantGenImage({ url: "a" }), make.assistantGenImage({ url: "b" }))).toThrow(error);
    expect(() => join(make.assistantGenAudio({ mimeType: "a" }), make.assistantGenAudio({ mimeType: "b" }))).toThrow(
      error,
    );
  });
});

describe("function tool calls", () => {
  const call = (callId: string, name: string) => make.functionToolCall({ callId, name, arguments: "x" });

  it("take id and name from whichever chunk has them", () => {
    expect(join(call("", "f"), call("1", ""), call("1", "f"))).toEqual(
      make.functionToolCall({ callId: "1", name: "f", arguments: "xxx" }),
    );
  });

  it("may leave id, name and arguments out of a chunk", () => {
    const rest = { type: "function_tool_call" } as unknown as ContentBlock;
    expect(join(call("1", "f"), rest)).toEqual(call("1", "f"));
  });

  it("must agree on id and name", () => {
    expect(() => join(call("1", "f"), call("2", "f"))).toThrow(
      /expected call ID "1" of the function_tool_call block at index 5, but got "2"/,
    );
    expect(() => join(call("1", "f"), call("1", "g"))).toThrow(/expected tool name "f" .* got "g"/);
  });
});

describe("function tool results", () => {
  const result = (fields: Partial<FunctionToolResult>) =>
    make.functionToolResult({ callId: "1", name: "f", result: "", ...fields });
  const words = (text: string): ToolResultContent => ({ type: "text", text });
  const image: ToolResultContent = { type: "image", url: "u" };

  it("join the text", () => {
    expect(join(result({ result: "a" }), result({ result: "b", resultType: "json" }))).toEqual(
      result({ result: "ab", resultType: "json" }),
    );
  });

  it("append the parts and join texts that meet", () => {
    expect(
      join(
        result({ content: [words("a")] }),
        result({}),
        result({ content: [words("b"), image] }),
        result({ content: [words("c")] }),
      ),
    ).toEqual(result({ content: [words("ab"), image, words("c")] }));
  });

  it("drop parts that are null", () => {
    const content = [null, image] as unknown as ToolResultContent[];
    expect(join(result({ content }), result({ content }))).toEqual(result({ content: [image, image] }));
  });

  it("are an error when one chunk is", () => {
    expect(join(result({ isError: false }), result({ isError: true, errorKind: "execution" }), result({}))).toEqual(
      result({ isError: true, errorKind: "execution" }),
    );
    expect(join(result({ isError: false }), result({}))).toEqual(result({ isError: false }));
  });

  it("must agree on id and name", () => {
    expect(() => join(result({}), result({ callId: "2" }))).toThrow(/expected call ID "1"/);
    expect(() => join(result({}), result({ name: "g" }))).toThrow(/expected tool name "f"/);
  });
});

describe("tools of a provider", () => {
  const call = (args: unknown, name = "search") => make.serverToolCall({ name, callId: "1", arguments: args });

  it("join text, and of anything else take the last", () => {
    expect(join(call("a"), call("b"))).toEqual(call("ab"));
    expect(join(call({ a: 1 }), call({ b: 2 }))).toEqual(call({ b: 2 }));
    const found = (content: unknown) => make.serverToolResult({ name: "search", content });
    expect(join(found([1]), found(undefined), found([1, 2]))).toEqual(found([1, 2]));
  });

  it("refuse values of different types, and other names", () => {
    expect(() => join(call("a"), call({}))).toThrow(/"arguments" of the server_tool_call block at index 5 is string/);
    expect(() => join(call("a"), call("a", "fetch"))).toThrow(/expected tool name "search"/);
  });
});

describe("MCP blocks", () => {
  const call = { serverLabel: "s", callId: "1", name: "f" };

  it("join the arguments of a call and keep its approval request", () => {
    const first = make.mcpToolCall({ ...call, arguments: "a", approvalRequestId: "r" });
    expect(join(first, make.mcpToolCall({ ...call, arguments: "b" }))).toEqual({ ...first, arguments: "ab" });
    expect(() => join(first, { ...first, serverLabel: "t" })).toThrow(/expected server label "s"/);
  });

  it("join the content of a result and keep its last error", () => {
    const result = make.mcpToolResult({ ...call, content: "a", error: { message: "x" } });
    expect(join(result, { ...result, error: { code: 1, message: "y" } })).toEqual({
      ...result,
      content: "aa",
      error: { code: 1, message: "y" },
    });
  });

  it("append the tools of a list", () => {
    const list = (...names: string[]) =>
      make.mcpListToolsResult({ serverLabel: "s", tools: names.map((name) => ({ name })) });
    expect(join(list("a"), list("b", "c"))).toEqual(list("a", "b", "c"));
  });

  it("join the arguments of an approval request", () => {
    const request = make.mcpToolApprovalRequest({ id: "1", name: "f", arguments: "a", serverLabel: "s" });
    expect(join(request, request)).toEqual({ ...request, arguments: "aa" });
    expect(() => join(request, { ...request, id: "2" })).toThrow(/expected request ID "1"/);
  });
});

describe("blocks that come whole", () => {
  const whole: readonly ContentBlock[] = [
    make.userInputText("a"),
    make.userInputImage({ url: "u", detail: "low" }),
    make.userInputAudio({ url: "u" }),
    make.userInputVideo({ url: "u" }),
    make.userInputFile({ url: "u", name: "n" }),
    make.toolSearchResult({ callId: "1", name: "find", result: { tools: [{ name: "f" }] } }),
    make.mcpToolApprovalResponse({ approvalRequestId: "r", approve: false, reason: "no" }),
    make.extension({ provider: "p", kind: "k", data: [1] }),
  ];

  it.each(whole)("keep a lone $type chunk", (block) => expect(join(block)).toStrictEqual(block));

  it.each(whole)("refuse a second $type chunk", (block) => {
    expect(() => join(block, block)).toThrow(`cannot concat multiple ${block.type} blocks at index 5`);
    expect(() => join(block, block)).toThrow(expect.objectContaining({ code: "CANNOT_CONCAT" }));
  });

  it("include a type of a later version, which cannot be joined", () => {
    const block = { type: "constructor", data: 1 } as unknown as ContentBlock;
    expect(join(block)).toStrictEqual(block);
    expect(() => join(block, block)).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE" }));
  });
});
