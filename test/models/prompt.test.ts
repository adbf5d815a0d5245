import {
  type AgenticMessage,
  assistantMessage,
  type ContentBlock,
  functionToolCall,
  functionToolResult,
  systemMessage,
  userInputFile,
  userInputImage,
  userInputText,
  userMessage,
} from "kumiko";
import {
  extension,
  mcpToolApprovalResponse,
  mcpToolResult,
  reasoning,
  serverToolCall,
  serverToolResult,
  userInputAudio,
} from "kumiko/schema";
import { describe, expect, it } from "vitest";
import { promptOf } from "../../src/models/ai-sdk/prompt.js";

type Version = "v2" | "v3" | "v4";

const prompt = (messages: AgenticMessage[], version: Version = "v4") =>
  promptOf(messages, { provider: "fake", version });

/** The parts of one message. */
const partsOf = (message: AgenticMessage, version: Version = "v4"): unknown[] =>
  prompt([message], version).flatMap(({ content }): readonly unknown[] => (typeof content === "string" ? [] : content));
const said = (...blocks: ContentBlock[]) => partsOf(assistantMessage(blocks));
const own = (providerMetadata: object) => ({ extra: { provider: "fake", providerMetadata } });
const foreign = (providerMetadata: object) => ({ extra: { provider: "other", providerMetadata } });

describe("roles", () => {
  it("are those of the messages; results of tools have one of their own, and stand together", () => {
    const result = (callId: string) => userMessage(functionToolResult({ callId, name: "now", result: callId }));
    const output = (value: string) => ({
      type: "tool-result",
      toolCallId: value,
      toolName: "now",
      output: { type: "text", value },
    });
    expect(
      prompt([
        systemMessage("Be brief."),
        userMessage("Hi"),
        assistantMessage("Hello"),
        result("1"),
        result("2"),
        userMessage("So?"),
      ]),
    ).toStrictEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      { role: "tool", content: [output("1"), output("2")] },
      { role: "user", content: [{ type: "text", text: "So?" }] },
    ]);
  });

  it("may be mixed in one message", () => {
    const message = userMessage([
      functionToolResult({ callId: "1", name: "now", result: "12" }),
      userInputText("And?"),
    ]);
    expect(prompt([message]).map(({ role }) => role)).toEqual(["tool", "user"]);
  });

  it("with nothing to say are left out", () => {
    expect(prompt([assistantMessage([]), assistantMessage("")])).toEqual([]);
  });
});

describe("options of a provider", () => {
  const cached = { anthropic: { cacheControl: { type: "ephemeral" } } };

  it("stand in extra.providerOptions of messages and blocks", () => {
    const extra = { providerOptions: cached };
    expect(
      prompt([
        systemMessage([userInputText({ text: "Be ", extra }), userInputText("brief.")]),
        userMessage([userInputText({ text: "Hi", extra })], { extra }),
      ]),
    ).toStrictEqual([
      { role: "system", content: "Be brief.", providerOptions: cached },
      { role: "user", content: [{ type: "text", text: "Hi", providerOptions: cached }], providerOptions: cached },
    ]);
  });

  it("come before what the provider sent itself, field by field", () => {
    const extra = {
      provider: "fake",
      providerMetadata: { a: { id: 1, tier: "x" }, b: 1 },
      providerOptions: { a: { tier: "y" } },
    };
    expect(said({ type: "assistant_gen_text", text: "Hi", extra })).toEqual([
      { type: "text", text: "Hi", providerOptions: { a: { id: 1, tier: "y" }, b: 1 } },
    ]);
  });
});

describe("what a provider sent", () => {
  it("returns to it, and to no other", () => {
    const metadata = { fake: { itemId: "i1" } };
    const blocks = (mark: (metadata: object) => object): ContentBlock[] => [
      reasoning({ text: "hm", ...mark({ fake: { signature: "s" } }) }),
      { type: "assistant_gen_text", text: "Hi", ...mark(metadata) },
      serverToolCall({ name: "search", callId: "1", arguments: '{"q":1}', ...mark(metadata) }),
      serverToolResult({ name: "search", callId: "1", content: [1], ...mark(metadata) }),
      functionToolCall({ callId: "2", name: "now", arguments: "{}", ...mark(metadata) }),
    ];
    expect(said(...blocks(own))).toEqual([
      { type: "reasoning", text: "hm", providerOptions: { fake: { signature: "s" } } },
      { type: "text", text: "Hi", providerOptions: metadata },
      {
        type: "tool-call",
        toolCallId: "1",
        toolName: "search",
        input: { q: 1 },
        providerExecuted: true,
        providerOptions: metadata,
      },
      {
        type: "tool-result",
        toolCallId: "1",
        toolName: "search",
        output: { type: "json", value: [1] },
        providerOptions: metadata,
      },
      { type: "tool-call", toolCallId: "2", toolName: "now", input: {}, providerOptions: metadata },
    ]);
    expect(said(...blocks(foreign))).toEqual([
      { type: "text", text: "Hi" },
      { type: "tool-call", toolCallId: "2", toolName: "now", input: {} },
    ]);
  });

  it("and nothing signs returns too: reasoning without metadata", () => {
    expect(said(reasoning({ text: "hm", extra: { provider: "fake" } }))).toEqual([{ type: "reasoning", text: "hm" }]);
    expect(said(reasoning("hm"))).toEqual([]);
  });

  it("and no block of ours fits returns where a prompt has a place for it", () => {
    const part = (kind: string, data: object) => extension({ provider: "fake", kind, data });
    const custom = { type: "custom", kind: "fake.compaction", providerMetadata: { fake: { id: 1 } } };
    const file = {
      type: "reasoning-file",
      mediaType: "image/png",
      data: { type: "url", url: "https://a.example/b.png" },
    };
    const blocks = [part("custom", custom), part("reasoning-file", file), part("source", { type: "source", id: "s" })];
    expect(said(...blocks)).toEqual([
      { type: "custom", kind: "fake.compaction", providerOptions: { fake: { id: 1 } } },
      { ...file, data: { type: "url", url: new URL("https://a.example/b.png") } },
    ]);
    expect(said(...blocks.map((block) => ({ ...block, provider: "other" })))).toEqual([]);
    expect(partsOf(assistantMessage(blocks), "v3")).toEqual([]);
  });
});

describe("media", () => {
  it.each<[Version, unknown, unknown]>([
    ["v4", { type: "data", data: "AAAA" }, { type: "url", url: new URL("https://a.example/b.png") }],
    ["v3", "AAAA", new URL("https://a.example/b.png")],
    ["v2", "AAAA", new URL("https://a.example/b.png")],
  ])("is data or an address as %s has it", (version, data, url) => {
    const message = userMessage([
      userInputImage({ base64Data: "AAAA", mimeType: "image/png" }),
      userInputImage({ url: "https://a.example/b.png" }),
      userInputFile({ base64Data: "AAAA", mimeType: "application/pdf", name: "a.pdf" }),
      userInputAudio({ url: "data:audio/wav;base64,AAAA" }),
    ]);
    expect(partsOf(message, version)).toEqual([
      { type: "file", data, mediaType: "image/png" },
      { type: "file", data: url, mediaType: "image/*" },
      { type: "file", data, mediaType: "application/pdf", filename: "a.pdf" },
      { type: "file", data, mediaType: "audio/wav" },
    ]);
  });

  it("without a place, or at none, is an error", () => {
    expect(() => said({ type: "assistant_gen_image" })).toThrow(/neither url nor base64Data/);
    expect(() => partsOf(userMessage([userInputImage({ url: "b.png" })]))).toThrow(
      /not an absolute URL \(got "b\.png"\)/,
    );
  });
});

describe("results of tools", () => {
  const outputOf = (fields: Parameters<typeof functionToolResult>[0], version: Version = "v4"): unknown => {
    const [part] = partsOf(userMessage(functionToolResult(fields)), version) as { output: unknown }[];
    return part?.output;
  };
  const call = { callId: "1", name: "now" };

  it("are text, JSON, or what went wrong", () => {
    expect(outputOf({ ...call, result: "12:00" })).toEqual({ type: "text", value: "12:00" });
    expect(outputOf({ ...call, result: '{"h":12}', resultType: "json" })).toEqual({ type: "json", value: { h: 12 } });
    expect(outputOf({ ...call, result: '{"h":', resultType: "json" })).toEqual({ type: "text", value: '{"h":' });
    expect(outputOf({ ...call, result: "broken", isError: true })).toEqual({ type: "error-text", value: "broken" });
    const denied = { ...call, result: "No.", isError: true, errorKind: "denied" } as const;
    expect(outputOf(denied)).toEqual({ type: "execution-denied", reason: "No." });
    expect(outputOf(denied, "v2")).toEqual({ type: "error-text", value: "No." });
  });

  it("have parts as each spec has them", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "image", base64Data: "AAAA", mimeType: "image/png" },
      { type: "file", url: "https://a.example/a.pdf", mimeType: "application/pdf" },
    ] as const;
    const parts = (version: Version) => (outputOf({ ...call, content }, version) as { value: unknown }).value;
    const text = { type: "text", text: "a" };
    const url = "https://a.example/a.pdf";
    expect(parts("v4")).toEqual([
      text,
      { type: "file", data: { type: "data", data: "AAAA" }, mediaType: "image/png" },
      { type: "file", data: { type: "url", url: new URL(url) }, mediaType: "application/pdf" },
    ]);
    expect(parts("v3")).toEqual([
      text,
      { type: "image-data", data: "AAAA", mediaType: "image/png" },
      { type: "file-url", url },
    ]);
    expect(parts("v2")).toEqual([
      text,
      { type: "media", data: "AAAA", mediaType: "image/png" },
      { type: "text", text: url },
    ]);
  });

  it("of MCP servers and answers to their questions return", () => {
    const result = { serverLabel: "tea", callId: "1", name: "brew", ...own({}) };
    expect(said(mcpToolResult({ ...result, content: "hot" }))).toMatchObject([
      { output: { type: "json", value: "hot" } },
    ]);
    const json = { ...result, content: '{"hot":true}', extra: { ...result.extra, resultType: "json" } };
    expect(said(mcpToolResult(json))).toMatchObject([{ output: { type: "json", value: { hot: true } } }]);
    const answer = userMessage(
      mcpToolApprovalResponse({ approvalRequestId: "a1", approve: false, reason: "Too hot." }),
    );
    expect(prompt([answer])).toEqual([
      {
        role: "tool",
        content: [{ type: "tool-approval-response", approvalId: "a1", approved: false, reason: "Too hot." }],
      },
    ]);
    expect(prompt([answer], "v2")).toEqual([]);
  });
});

it("arguments that do not parse are sent as none", () => {
  const inputs = ['{"a":1}', '{"a":', "", "  "].map((text) => {
    const [part] = said(functionToolCall({ callId: "1", name: "now", arguments: text })) as { input: unknown }[];
    return part?.input;
  });
  expect(inputs).toEqual([{ a: 1 }, {}, {}, {}]);
});
