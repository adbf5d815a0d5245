import { assistantMessage, type ContentBlock, systemMessage, userMessage } from "kumiko";
import * as make from "kumiko/schema";
import { isAgenticMessage } from "kumiko/schema";
import { describe, expect, it } from "vitest";

/** One block of each kind. */
const kinds: readonly [type: ContentBlock["type"], ContentBlock][] = [
  ["reasoning", make.reasoning("r")],
  ["user_input_text", make.userInputText("t")],
  ["user_input_image", make.userInputImage({ url: "u", detail: "high" })],
  ["user_input_audio", make.userInputAudio({ base64Data: "b", mimeType: "audio/mp3" })],
  ["user_input_video", make.userInputVideo({ url: "u" })],
  ["user_input_file", make.userInputFile({ url: "u", name: "n" })],
  ["assistant_gen_text", make.assistantGenText("t")],
  ["assistant_gen_image", make.assistantGenImage({ url: "u" })],
  ["assistant_gen_audio", make.assistantGenAudio({ url: "u" })],
  ["assistant_gen_video", make.assistantGenVideo({ url: "u" })],
  ["function_tool_call", make.functionToolCall({ callId: "1", name: "f", arguments: "{}" })],
  ["function_tool_result", make.functionToolResult({ callId: "1", name: "f", result: "" })],
  ["tool_search_result", make.toolSearchResult({ callId: "1", name: "f", result: { tools: [] } })],
  ["server_tool_call", make.serverToolCall({ name: "f", arguments: { a: 1 } })],
  ["server_tool_result", make.serverToolResult({ name: "f", content: [1] })],
  ["mcp_tool_call", make.mcpToolCall({ serverLabel: "s", callId: "1", name: "f", arguments: "" })],
  ["mcp_tool_result", make.mcpToolResult({ serverLabel: "s", callId: "1", name: "f", content: "" })],
  ["mcp_list_tools_result", make.mcpListToolsResult({ serverLabel: "s", tools: [] })],
  ["mcp_tool_approval_request", make.mcpToolApprovalRequest({ id: "1", name: "f", arguments: "", serverLabel: "s" })],
  ["mcp_tool_approval_response", make.mcpToolApprovalResponse({ approvalRequestId: "1", approve: true })],
  ["extension", make.extension({ provider: "p", kind: "k", data: null })],
];

describe("each kind of block", () => {
  it.each(kinds)("%s has a constructor of its own", (type, block) => {
    expect(block.type).toBe(type);
  });

  it.each(kinds)("%s survives JSON", (_type, block) => {
    const message = assistantMessage(block);
    expect(JSON.parse(JSON.stringify(message))).toStrictEqual(message);
  });

  it("leaves out what is undefined", () => {
    const block = make.functionToolResult({ callId: "1", name: "f", result: "", isError: undefined, extra: undefined });
    expect(Object.keys(block)).toEqual(["type", "callId", "name", "result"]);
  });

  it("takes all fields, also where a text would do", () => {
    expect(make.assistantGenText({ text: "t", streamingMeta: { index: 1 }, extra: { a: 1 } })).toStrictEqual({
      type: "assistant_gen_text",
      text: "t",
      streamingMeta: { index: 1 },
      extra: { a: 1 },
    });
  });

  it("makes the result of a tool from the text of its parts", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "image", url: "u" },
      { type: "text", text: "b" },
    ] as const;
    expect(make.functionToolResult({ callId: "1", name: "f", content }).result).toBe("ab");
    expect(make.functionToolResult({ callId: "1", name: "f", content, result: "own" }).result).toBe("own");
  });
});

describe("messages", () => {
  it("make one text block of a string", () => {
    expect(userMessage("a")).toStrictEqual({ role: "user", contentBlocks: [{ type: "user_input_text", text: "a" }] });
    expect(systemMessage("a")).toStrictEqual({
      role: "system",
      contentBlocks: [{ type: "user_input_text", text: "a" }],
    });
    expect(assistantMessage("a")).toStrictEqual({
      role: "assistant",
      contentBlocks: [{ type: "assistant_gen_text", text: "a" }],
    });
  });

  it("take one block, or a list which they copy", () => {
    const blocks = [make.userInputText("a")];
    const message = userMessage(blocks);
    blocks.push(make.userInputText("b"));
    expect(message).toStrictEqual(userMessage(make.userInputText("a")));
  });

  it("carry what else is known", () => {
    expect(assistantMessage("a", { responseMeta: { finishReason: "stop" }, extra: { a: 1 } })).toMatchObject({
      responseMeta: { finishReason: "stop" },
      extra: { a: 1 },
    });
    expect(userMessage("a", { extra: undefined })).not.toHaveProperty("extra");
  });

  it.each(["user", "system", "assistant"])("are known by their shape, with role %s", (role) => {
    expect(isAgenticMessage({ role, contentBlocks: [{ type: "reasoning" }] })).toBe(true);
    expect(isAgenticMessage({ role, contentBlocks: [] })).toBe(true);
  });

  it.each([
    undefined,
    null,
    "user",
    [],
    {},
    { role: "user" },
    { role: "tool", contentBlocks: [] },
    { role: "user", contentBlocks: "text" },
    { role: "user", contentBlocks: ["text"] },
    { role: "user", contentBlocks: [{ text: "a" }] },
  ])("are not %j", (value) => expect(isAgenticMessage(value)).toBe(false));
});
