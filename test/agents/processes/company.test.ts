import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sqliteStore } from "kumiko/sqlite";
import { afterAll, expect, it } from "vitest";
import { usePrograms } from "../../programs.js";
import { expectTraces, expectTurns } from "../company/drive.js";
import { features } from "../company/features.js";
import type { Step, Stop } from "../company/steps.js";

const program = join(import.meta.dirname, "company-child.ts");
const programOf = usePrograms(program);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-company-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(Object.entries(features))(
  "each segment of turns with %s may run in a process of its own",
  async (name, feature) => {
    const [file, notes] = [join(folder, `${name}.db`), join(folder, `${name}.log`)];
    const store = sqliteStore(file);
    await feature.prepare?.(store);
    const steps = async (step: Step): Promise<Stop> => {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [
        programOf(program),
        file,
        notes,
        JSON.stringify(step),
      ]);
      expect(stderr).toBe("");
      return JSON.parse(stdout);
    };
    await expectTurns(feature, { feature: name, how: "segment" }, steps);
    await expectTraces(feature, readFileSync(notes, "utf8").trim().split("\n"), store);
    await store.close();
  },
);
