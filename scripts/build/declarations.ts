import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

const folder = ".out/types";

/**
 * Writes the declarations of all modules, and gives the files of these entries among them. To bundle declarations takes the
 * bundler a tenth of the time that it takes to bundle the types of sources.
 */
export function declarationsOf(root: string, entries: Readonly<Record<string, string>>): Record<string, string> {
  rmSync(join(root, folder), { recursive: true, force: true });
  const compiler = join(root, "node_modules/typescript-7/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  return Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, file.replace(/^src/, folder).replace(/\.ts$/, ".d.ts")]),
  );
}
