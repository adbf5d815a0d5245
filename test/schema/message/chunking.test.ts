import fc from "fast-check";
import { type AgenticMessage, assistantMessage, type ContentBlock, concatMessages } from "kumiko";
import type { ToolResultContent } from "kumiko/schema";
import * as make from "kumiko/schema";
import { expect, it } from "vitest";

/** A way to cut a message: a seed from which cuts and the order of the pieces are taken. */
type Dice = () => number;

const dice = (seed: number): Dice => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};

const plain = <T>(fields: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) => fc.record(fields, { noNullPrototype: true });
const words = fc.string({ maxLength: 12, unit: "grapheme" });
const id = fc.string({ minLength: 1, maxLength: 4 });
const extra = fc.option(plain({ note: words, deep: plain({ text: words }) }), { nil: undefined });
const image = plain({ type: fc.constant("image" as const), url: id });
const content = fc
  .array(fc.tuple(words, image), { maxLength: 3 })
  .map((parts) => parts.flatMap(([text, picture]): ToolResultContent[] => [{ type: "text", text }, picture]));

const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  plain({ text: words, signature: words, extra }).map(make.reasoning),
  plain({ text: words, extra }).map(make.assistantGenText),
  plain({ base64Data: words, mimeType: id }).map(make.assistantGenAudio),
  plain({ callId: id, name: id, arguments: words, extra }).map(make.functionToolCall),
  plain({ callId: id, name: id, result: words, content, isError: fc.boolean() }).map(make.functionToolResult),
  plain({ serverLabel: id, callId: id, name: id, content: words }).map(make.mcpToolResult),
  plain({ serverLabel: id, callId: id, name: id, arguments: words, approvalRequestId: id }).map(make.mcpToolCall),
  plain({ provider: id, kind: id, data: fc.jsonValue() }).map(make.extension),
  words.map(make.userInputText),
);

const usage = plain({ promptTokens: fc.nat(), completionTokens: fc.nat(), totalTokens: fc.nat() });
const message: fc.Arbitrary<AgenticMessage> = fc
  .tuple(fc.array(block, { minLength: 1, maxLength: 5 }), usage, extra)
  .map(([blocks, tokenUsage, ownExtra]) =>
    assistantMessage(blocks, { responseMeta: { tokenUsage, finishReason: "stop" }, extra: ownExtra }),
  );

const joinable = ["text", "signature", "base64Data", "arguments", "result", "note"];

/** Cuts a value in two so that its halves join to it: texts and records of texts in pieces, anything else goes first. */
function cut(value: unknown, key: string, roll: Dice): [unknown, unknown] {
  if (typeof value === "string" && (joinable.includes(key) || key === "content")) {
    const middle = Math.floor(roll() * (value.length + 1));
    return [value.slice(0, middle), value.slice(middle)];
  }
  if (Array.isArray(value) && key === "content") return cutParts(value as ToolResultContent[], roll);
  if (key === "extra" || key === "deep") {
    const halves = Object.entries(value as object).map(([name, inner]) => [name, ...cut(inner, name, roll)] as const);
    return [
      Object.fromEntries(halves.map(([name, left]) => [name, left])),
      Object.fromEntries(halves.map(([name, , right]) => [name, right])),
    ];
  }
  const repeats = key === "callId" || key === "name" || key === "serverLabel" || key === "isError";
  return [value, repeats && roll() < 0.5 ? value : undefined];
}

function cutParts(parts: readonly ToolResultContent[], roll: Dice): [ToolResultContent[], ToolResultContent[]] {
  const middle = Math.floor(roll() * (parts.length + 1));
  const part = parts[middle];
  if (part?.type !== "text") return [parts.slice(0, middle), parts.slice(middle)];
  const [left, right] = cut(part.text, "text", roll) as [string, string];
  return [
    [...parts.slice(0, middle), { type: "text", text: left }],
    [{ type: "text", text: right }, ...parts.slice(middle + 1)],
  ];
}

function cutBlock(whole: ContentBlock, roll: Dice): ContentBlock[] {
  if (whole.type === "extension" || whole.type === "user_input_text" || roll() < 0.6) return [whole];
  const left: Record<string, unknown> = {};
  const right: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(whole)) {
    const halves = key === "type" ? [value, value] : cut(value, key, roll);
    if (halves[0] !== undefined) left[key] = halves[0];
    if (halves[1] !== undefined) right[key] = halves[1];
  }
  return [...cutBlock(left as unknown as ContentBlock, roll), ...cutBlock(right as unknown as ContentBlock, roll)];
}

/** Pieces of all blocks, those of one block in order, in chunks of any size. */
function chunksOf(
  { role, contentBlocks, responseMeta, extra: ownExtra }: AgenticMessage,
  seed: number,
): AgenticMessage[] {
  const roll = dice(seed);
  const queues = contentBlocks.map((whole, index) =>
    cutBlock(whole, roll).map((piece) => ({ ...piece, streamingMeta: { index: index * 3 - 4 } })),
  );
  const chunks: AgenticMessage[] = [];
  const blocks: ContentBlock[] = [];
  while (queues.some((queue) => queue.length > 0)) {
    const piece = queues[Math.floor(roll() * queues.length)]?.shift();
    if (piece) blocks.push(piece);
    if (roll() < 0.5) chunks.push({ role, contentBlocks: blocks.splice(0) });
  }
  const [left, right] = cut(ownExtra ?? {}, "extra", roll) as [Record<string, unknown>, Record<string, unknown>];
  const extras = ownExtra === undefined ? [{}, {}] : [{ extra: left }, { extra: right }];
  const less = { tokenUsage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 } };
  chunks.push({ role, contentBlocks: blocks, responseMeta: less, ...extras[0] });
  chunks.push({ role, contentBlocks: [], ...(responseMeta && { responseMeta }), ...extras[1] });
  return chunks;
}

it("any chunks of a message concatenate to the message", () => {
  fc.assert(
    fc.property(message, fc.nat(), (whole, seed) => {
      expect(concatMessages(chunksOf(whole, seed))).toStrictEqual(whole);
    }),
    { numRuns: 300 },
  );
});

it("a message that went through JSON concatenates to the same", () => {
  fc.assert(
    fc.property(message, fc.nat(), (whole, seed) => {
      const sent = JSON.parse(JSON.stringify(chunksOf(whole, seed))) as AgenticMessage[];
      expect(JSON.stringify(concatMessages(sent))).toBe(JSON.stringify(concatMessages(chunksOf(whole, seed))));
    }),
    { numRuns: 100 },
  );
});
