import fc from "fast-check";
import { KumikoError } from "kumiko";
import { describe, expect, it } from "vitest";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";
import { numberOfRuns } from "../../number-of-runs.js";
import { anyGraph, graphCodecs } from "./any-graph.js";
import { roundTrip } from "./round-trip.js";
import { sameGraph } from "./same-graph.js";

const codec = new ValueCodec(graphCodecs);

it("any value that can be saved comes back, shared in the same places", () => {
  fc.assert(
    fc.property(anyGraph, (value) => {
      const text = codec.encode(value, "state");
      const copy = codec.decode(JSON.parse(text), "state");
      expect(sameGraph(copy, value)).toBe(true);
      expect(codec.encode(copy, "state")).toBe(text);
    }),
    { numRuns: numberOfRuns(500) },
  );
});

it("any JSON comes back as it was, alone and beside what is no JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const both = codec.decode(JSON.parse(codec.encode([value, 1n], "state")), "state");
      expect(sameGraph(both, [value, 1n])).toBe(true);
      expect(sameGraph(codec.decode(JSON.parse(codec.encode(value, "state")), "state"), value)).toBe(true);
    }),
    { numRuns: numberOfRuns(250) },
  );
});

it("two values that differ are never told to be the same by the test", () => {
  const shared = {};
  expect(sameGraph([shared, shared], [{}, {}])).toBe(false);
  expect(sameGraph([{}, {}], [shared, shared])).toBe(false);
  expect(sameGraph({ a: undefined }, {})).toBe(false);
  expect(sameGraph(new Map([[1, 2]]), new Map([[1, 3]]))).toBe(false);
  expect(sameGraph(new Set([1, 2]), new Set([2, 1]))).toBe(false);
  expect(sameGraph(new Uint8Array([1]), new Uint8Array([2]))).toBe(false);
  expect(sameGraph(Object.create(null), {})).toBe(false);
});

describe("a document that was changed", () => {
  const part = fc.oneof(
    fc.integer({ min: -9, max: 40 }),
    fc.constantFrom<unknown>(
      2 ** 31,
      2 ** 32 - 1,
      0.5,
      1e308,
      null,
      true,
      "",
      "x",
      "__proto__",
      "constructor",
      "prototype",
    ),
    fc.constantFrom("Class", "Error", "Record", "Map", "Set", "Date", "BigInt", "null", "Object", "RegExp", "URL"),
    fc.constantFrom(
      "ArrayBuffer",
      "Uint8Array",
      "Float64Array",
      "DataView",
      "Temporal.Instant",
      "Function",
      "KumikoError",
    ),
    fc.constantFrom<unknown>(
      [],
      {},
      [-7, 4294967295, 4294967294, 0],
      [-7, 1e9],
      ["Class", 0],
      ["Error", 0],
      ["Map", 0, 0],
    ),
    fc.constantFrom<unknown>(
      ["Uint8Array", 0],
      ["Uint8Array", 1e9],
      ["Object", 0],
      ["Record", 1],
      ["BigInt", "1e9"],
      [-2],
    ),
  );
  const change = fc.record({ at: fc.nat(), what: fc.constantFrom("replace", "remove", "insert", "swap"), part });

  /** Every list and record in JSON, with one of its keys. */
  function placesOf(
    json: unknown,
    places: [Record<string, unknown>, string][] = [],
  ): [Record<string, unknown>, string][] {
    if (typeof json !== "object" || json === null) return places;
    for (const [key, inner] of Object.entries(json)) {
      places.push([json as Record<string, unknown>, key]);
      placesOf(inner, places);
    }
    return places;
  }

  function apply(json: unknown, { at, what, part }: { at: number; what: string; part: unknown }): void {
    const places = placesOf(json);
    const [holder, key] = places[at % places.length] ?? [{}, ""];
    const [other, otherKey] = places[(at * 7 + 3) % places.length] ?? [{}, ""];
    if (what === "swap")
      [holder[key], other[otherKey]] = [structuredClone(other[otherKey]), structuredClone(holder[key])];
    else if (Array.isArray(holder) && what !== "replace") {
      holder.splice(Number(key), what === "remove" ? 1 : 0, ...(what === "remove" ? [] : [structuredClone(part)]));
    } else holder[key] = structuredClone(part);
  }

  it("gives a value that can be saved again, or an error that says that it is unreadable", () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    let [readable, unreadable] = [0, 0];
    fc.assert(
      fc.property(anyGraph, fc.array(change, { minLength: 1, maxLength: 4 }), (value, changes) => {
        const document = JSON.parse(codec.encode([value, undefined], "state"));
        for (const each of changes) apply(document, each);
        let read: unknown;
        try {
          read = codec.decode(document, "state");
        } catch (error) {
          unreadable++;
          expect(KumikoError.is(error) && error.code).toMatch(/^(CHECKPOINT_UNREADABLE|UNKNOWN_CLASS)$/);
          return;
        }
        readable++;
        const again = roundTrip(read, graphCodecs); // of the issues of a ToolError only what is standard is kept
        expect(sameGraph(roundTrip(again, graphCodecs), again)).toBe(true);
      }),
      { numRuns: numberOfRuns(3_000) },
    );
    expect(Math.min(readable, unreadable)).toBeGreaterThan(300);
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
  });
});
