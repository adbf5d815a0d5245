import { expect, it } from "vitest";
import { groups, readGroups } from "../../bench/groups.js";
import { workloads } from "../../bench/workloads.js";

it("measures everything when no group is named", () => {
  expect(readGroups([])).toEqual(Object.keys(groups));
});

it("measures the groups that are named", () => {
  expect(readGroups(["tools", "chains"])).toEqual(["tools", "chains"]);
});

it("names the groups that there are when one is wrong", () => {
  expect(() => readGroups(["chain"])).toThrow(/no group "chain".*chains +functions/s);
});

it("gives every workload an id of its own", () => {
  const ids = workloads.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
