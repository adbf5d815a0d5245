import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Cost {
  readonly instantiations: number;
  readonly seconds: number;
}

export interface Compiler {
  /** What one program costs, the time being the shortest of so many. It must compile. */
  cost(name: string, source: string, times?: number): Cost;
  close(): void;
}

/**
 * Compiles programs one after another, each in a process of its own.
 *
 * `folder` is where their imports are looked for, `extended` the tsconfig whose options hold for them, `paths` where some of
 * the imports are found instead.
 */
export function openCompiler(
  tsc: string,
  folder: string,
  extended: string,
  paths?: Readonly<Record<string, readonly string[]>>,
): Compiler {
  mkdirSync(folder, { recursive: true });
  const own = mkdtempSync(join(folder, "types-"));
  writeFileSync(join(own, "package.json"), '{ "type": "module" }');
  const compilerOptions = {
    noEmit: true,
    typeRoots: [join(extended, "../node_modules/@types")],
    ...(paths === undefined ? {} : { paths }),
  };
  writeFileSync(
    join(own, "tsconfig.json"),
    JSON.stringify({ extends: extended, compilerOptions, include: [], files: ["program.ts"] }),
  );
  return {
    cost(name, source, times = 1) {
      writeFileSync(join(own, "program.ts"), source);
      const outputs = Array.from({ length: times }, () => compile(tsc, own, name));
      const figure = (label: string): number =>
        Math.min(...outputs.map((output) => Number(new RegExp(`${label}:\\s+([\\d.]+)`).exec(output)?.[1])));
      return { instantiations: figure("Instantiations"), seconds: figure("Check time") };
    },
    close: () => rmSync(own, { recursive: true }),
  };
}

function compile(tsc: string, folder: string, name: string): string {
  try {
    return execFileSync(process.execPath, [tsc, "-p", folder, "--extendedDiagnostics"], { encoding: "utf8" });
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    const own = output.split("\n").filter((text) => text.includes("program.ts"));
    if (own.length > 0) throw new Error(`"${name}" does not compile:\n${own.slice(0, 5).join("\n")}`);
    return output;
  }
}
