import type { Installed } from "../installed.js";
import type { Cell, Row } from "../report/row.js";
import { bundleBytes } from "./bundle.js";
import { measureImports } from "./cold-import.js";

/** Those of a package come first; what the compiler says follows. */
export const packageRowIds = ["import", "bundle", "bundle-minified"] as const;

/** What it takes before anything runs: the import of what users import first, and the bundle of the smallest program. */
export async function packageRows(packages: readonly Installed[]): Promise<Row[]> {
  const bundles: Bundle[] = [];
  for (const { name, smallest, folder, tsconfig } of packages) {
    bundles.push({ contender: name, ...(await bundleBytes(smallest, { folder, tsconfig })) });
  }
  const cellsOf = (form: "gzipped" | "minified"): Cell[] =>
    bundles.map(({ contender, [form]: value }) => ({ contender, value }));
  const target = (atMost: number) => ({ contender: "kumiko", of: "value", atMost }) as const;
  return [
    {
      id: "import",
      title: "cold import, above bare Node.js",
      unit: "ms",
      cells: importCells(packages),
      target: target(25),
    },
    {
      id: "bundle",
      title: "bundle of the smallest graph, gzipped",
      unit: "bytes",
      cells: cellsOf("gzipped"),
      target: target(43_000),
    },
    { id: "bundle-minified", title: "… minified", unit: "bytes", cells: cellsOf("minified") },
  ];
}

interface Bundle {
  readonly contender: string;
  readonly minified: number;
  readonly gzipped: number;
}

/** Each against the Node.js that it runs under. */
function importCells(packages: readonly Installed[]): Cell[] {
  const nodes = new Set(packages.map(({ node = process.execPath }) => node));
  return [...nodes].flatMap((node) => {
    const own = packages.filter((candidate) => (candidate.node ?? process.execPath) === node);
    const times = measureImports(own, { node });
    return own.map(({ name }, index) => ({ contender: name, value: times[index] ?? Number.NaN }));
  });
}
