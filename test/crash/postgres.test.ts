import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import { describeWithPostgres, type PostgresServer, startServer } from "../stores/postgres/server.js";
import { claimTests } from "./claim-tests.js";
import { crashTests, killsOf } from "./crash-tests.js";
import { bundleWorker, killWorkers } from "./worker-process.js";

describeWithPostgres("Runs that are saved in PostgreSQL, step by step,", () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-crash-"));
  const workshop = () => ({ folder, script, store: { postgres: server.url() } });
  let server: PostgresServer;
  let script = "";

  beforeAll(async () => {
    [script, server] = await Promise.all([bundleWorker(folder), startServer()]);
  }, 60_000);
  afterEach(killWorkers);
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  crashTests(workshop, killsOf(8));
  claimTests(workshop);
});
