import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe } from "vitest";
import { programFolder, whyNot } from "./server.js";

/** The programs of a PostgreSQL server that has pgvector, or why there is none. */
export type PgvectorServer = { readonly programs: string } | { readonly missing: string };

/** The server that is installed, when it has pgvector; else a copy with one that is built once, and kept between runs. */
export async function findPgvector(): Promise<PgvectorServer> {
  const missing = whyNot();
  const programs = programFolder();
  if (missing !== undefined || programs === undefined) return { missing: missing ?? "no PostgreSQL server" };
  const shared = execFileSync(join(programs, "pg_config"), ["--sharedir"], { encoding: "utf8" }).trim();
  if (existsSync(join(shared, "extension", "vector.control"))) return { programs };
  const version = basename(dirname(programs));
  const target = join(tmpdir(), `kumiko-pgvector-${version}-${process.arch}`);
  const copy = join(target, "lib", "postgresql", version, "bin");
  if (existsSync(copy)) return { programs: copy };
  try {
    const script = join(import.meta.dirname, "build-pgvector.sh");
    await promisify(execFile)("sh", [script, programs, target], { timeout: 180_000 });
    return { programs: copy };
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const reason = stderr.trim().split("\n").at(-1) ?? "";
    return { missing: `pgvector is not installed here, and could not be built: ${reason}` };
  }
}

/** Like `describe`; without pgvector its tests are skipped, and the name says why. */
export function describeWithPgvector(server: PgvectorServer, name: string, tests: (programs: string) => void): void {
  if ("programs" in server) describe(name, { timeout: 60_000 }, () => tests(server.programs));
  else describe.skip(`${name} (skipped: ${server.missing})`, () => tests(""));
}
