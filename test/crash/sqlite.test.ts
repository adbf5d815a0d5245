import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { claimTests } from "./claim-tests.js";
import { crashRun } from "./crash-run.js";
import { crashTests, killsOf } from "./crash-tests.js";
import { dice } from "./dice.js";
import { readLog } from "./effects-log.js";
import { findMistakes } from "./find-mistakes.js";
import { bundleWorker, killWorkers } from "./worker-process.js";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-crash-"));
let script = "";

beforeAll(async () => {
  script = await bundleWorker(folder);
}, 60_000);
afterEach(killWorkers);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("Runs that are saved in a SQLite file, step by step,", () => {
  const workshop = () => ({ folder, script, store: { sqlite: join(folder, "orders.db") } });
  crashTests(workshop, killsOf(25));
  claimTests(workshop);
});

it("A store that acknowledges what it has not written is found out", { timeout: 60_000 }, async () => {
  const store = { sqlite: join(folder, "forgotten.db"), forgets: true };
  const how = { id: "forgotten", roll: dice(1), kills: 20, isExact: true };
  const { killed } = await crashRun({ folder, script, store }, how);
  const mistakes = findMistakes(readLog(join(folder, "forgotten.log")), killed);
  expect(mistakes.join("\n")).toContain("happened again after what follows it had begun");
});
