import type { CrowdFigures } from "../measure/crowd.js";
import type { Row } from "./row.js";

/** The rows that tell what 10,000 runs at a time need; the first contender is the base. */
export function crowdRows(figures: ReadonlyMap<string, CrowdFigures>): Row[] {
  const row = (id: string, title: string, unit: Row["unit"], figure: keyof CrowdFigures, more?: Partial<Row>): Row => {
    const base = [...figures.values()][0]?.[figure];
    const cells = [...figures].map(([contender, own]) => ({
      contender,
      value: own[figure],
      ratio: base === undefined ? undefined : own[figure] / base,
      note: own.rounds === 1 ? `${own.runs.toLocaleString("en")} runs` : undefined,
    }));
    return { id, title, unit, cells, ...more };
  };
  return [
    row("parked", "a run of 10 nodes that waits in the fifth", "bytes", "parkedBytes", {
      target: { contender: "kumiko", of: "value", atMost: 2_000 },
    }),
    row("short", "10,000 runs of 10 nodes, 100 at a time: per run", "ns", "shortNs"),
    row("short-p99", "… the slowest of a hundred takes", "ms", "p99Ms"),
    row("short-rate", "… runs per second", "count", "perSecond"),
    row("short-heap", "… heap above the start, with garbage", "bytes", "heapBytes"),
  ];
}
