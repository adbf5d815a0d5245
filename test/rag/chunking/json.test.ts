import fc from "fast-check";
import { type Chunk, MDocument } from "kumiko/rag";
import { describe, expect, it } from "vitest";
import { documentCount, jsonTexts, runs } from "./documents.js";
import { expectNothingLost } from "./laws.js";

const timeout = 60_000 + documentCount * 100;

type Fields = Map<string, unknown>;

/** A value of JSON with maps for objects, so that no key is special, and numbers as they are written. */
function read(text: string): unknown {
  const revive = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(revive);
    if (typeof value !== "object" || value === null) return value;
    return new Map(Object.entries(value).map(([key, inner]) => [key, revive(inner)]));
  };
  // numbers become texts that nothing else is
  return revive(
    JSON.parse(
      text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (part) => (part.startsWith('"') ? part : `"#${part}"`)),
    ),
  );
}

function merge(one: unknown, other: unknown): unknown {
  if (!(one instanceof Map) || !(other instanceof Map)) return other;
  const merged: Fields = new Map(one);
  for (const [key, value] of other) merged.set(key, merged.has(key) ? merge(merged.get(key), value) : value);
  return merged;
}

const mergeAll = (chunks: readonly Chunk[]): unknown => chunks.map(({ text }) => read(text)).reduce(merge);

function withConvertedLists(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, inner]) => [key, withConvertedLists(inner)]));
  return Array.isArray(value) ? new Map(value.map((item, index) => [String(index), withConvertedLists(item)])) : value;
}

describe("JSON", () => {
  it("is the whole value again when its chunks are merged", { timeout }, async () => {
    const options = fc.record({
      maxSize: fc.integer({ min: 4, max: 80 }),
      convertLists: fc.boolean(),
      ensureAscii: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(jsonTexts, options, fc.integer({ min: 0, max: 4 }), async (text, given, part) => {
        const { maxSize, convertLists, ensureAscii } = given;
        const minSize = part === 0 ? 0 : Math.floor(maxSize / part);
        const chunks = await MDocument.fromJSON(text).chunk({ strategy: "json", minSize, ...given });
        const value = read(text);
        expect(mergeAll(chunks)).toEqual(convertLists ? withConvertedLists(value) : value);
        expectNothingLost(text, chunks, () => true);
        for (const chunk of chunks) {
          if (chunk.metadata.oversize !== true) expect(chunk.text.length).toBeLessThanOrEqual(maxSize);
          if (ensureAscii) expect(chunk.text).toMatch(/^[\0-\x7f]*$/);
        }
      }),
      runs,
    );
  });

  it("splits lists with convertLists, and keeps them whole without", async () => {
    const json = MDocument.fromJSON('{"l":[1,2,3,4,5,6,7,8]}');
    const whole = await json.chunk({ strategy: "json", maxSize: 12 });
    expect(whole.map(({ text, metadata }) => [text, metadata.oversize])).toEqual([['{"l":[1,2,3,4,5,6,7,8]}', true]]);
    const parts = await json.chunk({ strategy: "json", maxSize: 20, convertLists: true });
    expect(parts.map(({ text }) => text)).toEqual([
      '{"l":{"0":1,"1":2}}',
      '{"l":{"2":3,"3":4}}',
      '{"l":{"4":5,"5":6}}',
      '{"l":{"6":7,"7":8}}',
    ]);
    expect(parts.map(({ metadata }) => metadata.path)).toEqual(["/l", "/l", "/l", "/l"]);
  });

  it("escapes once, and keeps numbers and key order", async () => {
    const text = '{"b":"é","a":1e400,"__proto__":{"x":12345678901234567890}}';
    const [ascii] = await MDocument.fromJSON(text).chunk({ strategy: "json", ensureAscii: true });
    expect(ascii?.text).toBe('{"b":"\\u00e9","a":1e400,"__proto__":{"x":12345678901234567890}}');
    const [plain] = await MDocument.fromJSON(text).chunk();
    expect(plain?.text).toBe(text);
  });

  it("tells where the values of each chunk stand", async () => {
    const text = '\ufeff{ "a\\\\" : [1, {}, []],\n"\\"é" :{"x": "}", "y" : -1.5e+3 } , "empty":{ } }';
    const chunks = await MDocument.fromJSON(text).chunk({ strategy: "json", maxSize: 18 });
    expect(
      chunks.map(({ text: chunk, metadata: { start, end } }) => [chunk, text.slice(Number(start), Number(end))]),
    ).toEqual([
      ['{"a\\\\":[1,{},[]]}', '"a\\\\" : [1, {}, []]'],
      ['{"\\"é":{"x":"}"}}', '"x": "}"'],
      ['{"\\"é":{"y":-1.5e+3}}', '"y" : -1.5e+3'],
      ['{"empty":{}}', '"empty":{ }'],
    ]);
  });

  it("says where a text is no JSON", async () => {
    await expect(MDocument.fromJSON('{"a":}').chunk()).rejects.toMatchObject({ code: "INVALID_DOCUMENT" });
    await expect(MDocument.fromJSON("").chunk()).rejects.toThrow(/not JSON/);
    await expect(MDocument.fromJSON("[".repeat(200_000) + "]".repeat(200_000)).chunk()).rejects.toMatchObject({
      code: "INVALID_DOCUMENT",
    });
  });
});
