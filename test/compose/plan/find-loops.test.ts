import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLoops } from "../../../src/compose/plan/find-loops.js";

describe("findLoops", () => {
  it("finds none in a graph without", () => {
    expect(findLoops([[1, 2], [3], [3], []])).toEqual({ loops: [], more: false });
    expect(findLoops([])).toEqual({ loops: [], more: false });
  });

  it("gives each loop from its first node back to it", () => {
    expect(findLoops([[1], [2], [0, 3], [3]]).loops).toEqual([
      [0, 1, 2, 0],
      [3, 3],
    ]);
  });

  it("gives loops that share a node", () => {
    expect(findLoops([[1, 2], [0], [0]]).loops).toEqual([
      [0, 1, 0],
      [2, 0, 2],
    ]);
  });

  it("stops listing after twenty", () => {
    const pairs = Array.from({ length: 50 }, (_, index) => [index % 2 === 0 ? index + 1 : index - 1]);
    const { loops, more } = findLoops(pairs);
    expect(loops).toHaveLength(20);
    expect(more).toBe(true);
  });

  it("finds a loop of a hundred thousand nodes", () => {
    const size = 100_000;
    const ring = Array.from({ length: size }, (_, index) => [(index + 1) % size]);
    expect(findLoops(ring).loops[0]).toHaveLength(size + 1);
  });

  it("lists real loops only, and every node that is on one", () => {
    const graph = fc
      .integer({ min: 1, max: 8 })
      .chain((size) =>
        fc.array(fc.uniqueArray(fc.integer({ min: 0, max: size - 1 })), { minLength: size, maxLength: size }),
      );
    fc.assert(
      fc.property(graph, (successors) => {
        const { loops } = findLoops(successors);
        for (const loop of loops) {
          expect(loop.at(-1)).toBe(loop[0]);
          for (const [index, node] of loop.slice(1).entries()) expect(successors[loop[index] ?? -1]).toContain(node);
        }
        const listed = new Set(loops.flat());
        for (const node of successors.keys()) expect(listed.has(node)).toBe(reaches(node, node, successors));
      }),
    );
  });
});

function reaches(from: number, to: number, successors: readonly (readonly number[])[]): boolean {
  const seen = new Set<number>();
  const open = [...(successors[from] ?? [])];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === to) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...(successors[node] ?? []));
  }
  return false;
}
