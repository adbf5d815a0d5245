import { describe, expect, it } from "vitest";
import { flameGraph } from "../../scripts/flame-graph.mjs";

const node = (id: number, functionName: string, children: number[] = [], url = "file:///app.js") => ({
  id,
  callFrame: { functionName, url, lineNumber: 0 },
  children,
});

/** `main` calls `a` twice as long as `b`; a tenth is the collector's. */
const profile = {
  nodes: [
    node(1, "(root)", [2, 5], ""),
    node(2, "main", [3, 4]),
    node(3, "a"),
    node(4, "<b>"),
    node(5, "(garbage collector)", [], ""),
  ],
  samples: [3, 4, 3, 5],
  timeDeltas: [400, 300, 200, 100],
};

const widths = (svg: string): Record<string, number> =>
  Object.fromEntries(
    [...svg.matchAll(/<title>(.*?): .*? %<\/title><rect [^>]*? width="([\d.]+)"/g)].map(([, name = "", width]) => [
      name,
      Math.round(Number(width)),
    ]),
  );

describe("a flame graph", () => {
  it("gives every function a width for its time, that of what it calls included", () => {
    expect(widths(flameGraph(profile, { title: "all" }))).toEqual({
      main: 1080,
      a: 720,
      "&lt;b&gt;": 360,
      "garbage collector": 120,
    });
  });

  it("draws times per run to a scale, so that two graphs can be compared", () => {
    const svg = flameGraph(profile, { title: "all", runs: 10, fullWidth: 200 });
    expect(svg).toContain("100.00 µs per run");
    expect(widths(svg).main).toBe(540);
  });

  it("leaves out what nobody could read", () => {
    const many = { ...profile, timeDeltas: [400_000, 300, 200_000, 100] };
    expect(Object.keys(widths(flameGraph(many, { title: "all" })))).toEqual(["main", "a"]);
  });
});
