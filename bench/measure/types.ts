import { join } from "node:path";
import type { Installed } from "../installed.js";
import type { Cell, Row } from "../report/row.js";
import { type Cost, openCompiler } from "../types/compile.js";

const sizes = [10, 50, 150] as const;
/** The compiler tells the time of the clock: the shortest is the one that was least disturbed. */
const TIMES = 3;

/** What lines of 10, 50 and 150 nodes cost the compiler, above what the imports cost it. */
export function typeRows(tsc: string, packages: readonly Installed[]): Row[] {
  const measured = packages.flatMap(({ name, folder, tsconfig, paths, typed }) => {
    if (typed === undefined) return [];
    const compiler = openCompiler(tsc, join(folder, ".out"), tsconfig, paths);
    try {
      const imports = compiler.cost(`${name}, imports`, typed.imports, TIMES);
      return [
        {
          name,
          costs: sizes.map((size) =>
            costAbove(imports, () => compiler.cost(`${name}, ${size}`, typed.line(size), TIMES)),
          ),
        },
      ];
    } finally {
      compiler.close();
    }
  });
  const cellsOf = (index: number, figure: (cost: Cost) => number): Cell[] =>
    measured.map(({ name, costs }) => {
      const cost = costs[index] ?? "not measured";
      return typeof cost === "string"
        ? { contender: name, value: -1, note: cost }
        : { contender: name, value: figure(cost) };
    });
  return sizes.flatMap((size, index): Row[] => [
    {
      id: `types-${size}`,
      title: `type instantiations of a line of ${size} nodes`,
      unit: "count",
      cells: cellsOf(index, ({ instantiations }) => instantiations),
      target: size === 50 ? { contender: "kumiko", of: "value", atMost: 40_000 } : undefined,
    },
    {
      id: `types-${size}-time`,
      title: "… time to check it, above the imports",
      unit: "ms",
      cells: cellsOf(index, ({ seconds }) => seconds * 1e3),
    },
  ]);
}

/** What a program costs, or why it costs nothing. */
function costAbove(imports: Cost, compile: () => Cost): Cost | string {
  try {
    const { instantiations, seconds } = compile();
    return {
      instantiations: instantiations - imports.instantiations,
      seconds: Math.max(0, seconds - imports.seconds),
    };
  } catch (error) {
    const [code] = /TS\d+/.exec(String(error)) ?? [];
    if (code === undefined) throw error;
    return `does not compile (${code})`;
  }
}
