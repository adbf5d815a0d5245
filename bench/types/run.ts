/**
 * What graphs cost the compiler: type instantiations and seconds, for both compilers. Fails when a budget is exceeded or a
 * program does not compile. Run it with `npx tsx bench/types/run.ts`.
 */
import { join } from "node:path";
import { type Compiler, openCompiler } from "./compile.js";
import { importsOnly, programs } from "./programs.js";

const root = join(import.meta.dirname, "../..");
const versions = [
  { name: "5.9", path: join(root, "node_modules/typescript/bin/tsc") },
  { name: "7.0", path: join(root, "node_modules/typescript-7/bin/tsc") },
];
const compilers = versions.map(({ path }) => openCompiler(path, join(root, ".out"), join(root, "tsconfig.json")));

try {
  if (!report(compilers)) process.exitCode = 1;
} finally {
  for (const compiler of compilers) compiler.close();
}

/** Prints the table; whether all budgets hold. */
function report(compilers: readonly Compiler[]): boolean {
  const base = compilers.map((compiler) => compiler.cost(importsOnly.name, importsOnly.source).instantiations);
  const heads = versions.map(({ name }) => `${`TS ${name}`.padStart(9)}    check`).join("");
  console.log(`${"instantiations above the imports".padEnd(36)}${heads}   budget`);
  let kept = true;
  for (const { name, source, imports, budget } of programs) {
    const costs = compilers.map((compiler) => compiler.cost(name, source));
    const own = imports && compilers.map((compiler) => compiler.cost(`${name}, imports`, imports).instantiations);
    const above = costs.map(({ instantiations }, index) => instantiations - ((own || base)[index] ?? 0));
    const exceeded = above.some((count) => count > (budget ?? Number.POSITIVE_INFINITY));
    if (exceeded) kept = false;
    const columns = costs.map(({ seconds }, index) => format(above[index] ?? 0, seconds)).join("");
    console.log(`${name.padEnd(36)}${columns}   ${budget?.toLocaleString("en") ?? ""}${exceeded ? " EXCEEDED" : ""}`);
  }
  return kept;
}

function format(count: number, seconds: number): string {
  return `${count.toLocaleString("en").padStart(9)} ${seconds.toFixed(2).padStart(7)}s`;
}
