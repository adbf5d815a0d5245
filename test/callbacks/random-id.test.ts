import { expect, it } from "vitest";
import { randomId } from "../../src/callbacks/random-id.js";

it("Ids are 32 hexadecimal digits, and no two are the same", () => {
  const ids = Array.from({ length: 1_000 }, () => randomId());
  expect(ids.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(1_000);
});

it("Every digit of an id takes every value", () => {
  const ids = Array.from({ length: 1_000 }, () => randomId());
  const values = Array.from({ length: 32 }, (_, place) => new Set(ids.map((id) => id[place])).size);
  expect(values).toEqual(new Array(32).fill(16));
});
