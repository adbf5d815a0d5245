import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byCodePoint } from "../../../src/compose/interrupt/checkpoint-id.js";
import { decodeId, encodeId, rangesOf } from "../../../src/stores/postgres/id-bytes.js";

/** Any UTF-16 at all; characters where encodings and orders differ come often. */
const unit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.constantFrom(
    0,
    1,
    0x7f,
    0x80,
    0x7ff,
    0x800,
    0xd7ff,
    0xd800,
    0xd83d,
    0xdbff,
    0xdc00,
    0xde00,
    0xdfff,
    0xe000,
    0xffff,
  ),
);
const text = fc.array(unit, { maxLength: 8 }).map((units) => String.fromCharCode(...units));

const inRange = (id: string, prefix: string): boolean =>
  rangesOf(prefix).some(({ from, before }) => from.compare(encodeId(id)) <= 0 && encodeId(id).compare(before) < 0);

describe("ids as bytes", () => {
  it("are read as they were written, whatever they hold", () => {
    fc.assert(
      fc.property(text, (id) => {
        expect(decodeId(encodeId(id))).toBe(id);
      }),
    );
  });

  it("are UTF-8 where that is possible", () => {
    for (const id of ["", "order-7", "深圳", "😀\u0000é", "\ud7ff\ue000\uffff"])
      expect(encodeId(id)).toEqual(Buffer.from(id));
  });

  it("stand in the order of code points", () => {
    const sign = (order: number) => Math.sign(order);
    fc.assert(
      fc.property(text, text, text, (start, a, b) => {
        const [left, right] = [start + a, start + b];
        expect(sign(encodeId(left).compare(encodeId(right)))).toBe(sign(byCodePoint(left, right)));
      }),
    );
  });

  it("are in the ranges of a prefix exactly when they start with it", () => {
    fc.assert(
      fc.property(text, text, fc.nat(8), (prefix, rest, length) => {
        expect(inRange(prefix + rest, prefix)).toBe(true);
        const cut = prefix.slice(0, length);
        expect(inRange(rest, cut)).toBe(rest.startsWith(cut));
        expect(inRange(prefix, cut + rest)).toBe(prefix.startsWith(cut + rest));
      }),
    );
  });

  it("are in ascending ranges that do not overlap", () => {
    fc.assert(
      fc.property(text, (prefix) => {
        const edges = rangesOf(prefix).flatMap(({ from, before }) => [from, before]);
        for (const [index, edge] of edges.entries())
          if (index > 0) expect(edges[index - 1]?.compare(edge)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it("take at most 4 bytes for a character, which an index of PostgreSQL can hold", () => {
    expect(encodeId("😀".repeat(512))).toHaveLength(2_048);
    expect(encodeId("\ud800".repeat(512))).toHaveLength(1_536);
  });
});
