import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { compilePrograms } from "../scripts/programs.js";

const root = join(import.meta.dirname, "..");

/** Compiles programs that the tests of a file start as processes; gives for each source the path to start. */
export function usePrograms(...sources: readonly string[]): (source: string) => string {
  let folder = "";
  let pathOf: ((source: string) => string) | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(root, "node_modules/.programs-"));
    pathOf = await compilePrograms(sources, folder);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (source) => {
    if (pathOf === undefined) throw new Error("Programs are compiled before the first test, and not known until then.");
    return pathOf(source);
  };
}
