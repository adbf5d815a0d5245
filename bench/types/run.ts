/**
 * What graphs cost the compiler: type instantiations and seconds, for both compilers. Fails when a budget is exceeded or a
 * program does not compile. Run it with `npx tsx bench/types/run.ts`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importsOnly, type Program, programs } from "./programs.js";

const root = join(import.meta.dirname, "../..");
const compilers = [
  { name: "5.9", path: join(root, "node_modules/typescript/bin/tsc") },
  { name: "7.0", path: join(root, "node_modules/typescript-7/bin/tsc") },
];

interface Cost {
  readonly instantiations: number;
  readonly seconds: number;
}

const folder = mkdtempSync(join(tmpdir(), "type-cost-"));
try {
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = { noEmit: true, typeRoots: [join(root, "node_modules/@types")] };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [], files: ["program.ts"] }),
  );
  if (!report()) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Prints the table; whether all budgets hold. */
function report(): boolean {
  const base = compilers.map(({ path }) => measure(importsOnly, path).instantiations);
  const heads = compilers.map(({ name }) => `${`TS ${name}`.padStart(9)}    check`).join("");
  console.log(`${"instantiations above the imports".padEnd(36)}${heads}   budget`);
  let kept = true;
  for (const program of programs) {
    const costs = compilers.map(({ path }) => measure(program, path));
    const above = costs.map(({ instantiations }, index) => instantiations - (base[index] ?? 0));
    const { budget = Number.POSITIVE_INFINITY } = program;
    const exceeded = above.some((count) => count > budget);
    if (exceeded) kept = false;
    const columns = costs.map(({ seconds }, index) => format(above[index] ?? 0, seconds)).join("");
    const limit = program.budget?.toLocaleString("en") ?? "";
    console.log(`${program.name.padEnd(36)}${columns}   ${limit}${exceeded ? " EXCEEDED" : ""}`);
  }
  return kept;
}

function format(count: number, seconds: number): string {
  return `${count.toLocaleString("en").padStart(9)} ${seconds.toFixed(2).padStart(7)}s`;
}

function measure({ name, source }: Program, compiler: string): Cost {
  writeFileSync(join(folder, "program.ts"), source);
  const output = compile(compiler, name);
  const figure = (label: string): number => Number(new RegExp(`${label}:\\s+([\\d.]+)`).exec(output)?.[1]);
  return { instantiations: figure("Instantiations"), seconds: figure("Check time") };
}

function compile(compiler: string, name: string): string {
  try {
    return execFileSync(process.execPath, [compiler, "-p", folder, "--extendedDiagnostics"], { encoding: "utf8" });
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    const own = output.split("\n").filter((text) => text.includes("program.ts"));
    if (own.length > 0) throw new Error(`"${name}" does not compile:\n${own.slice(0, 5).join("\n")}`);
    return output;
  }
}
