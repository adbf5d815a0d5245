/** A process with a BullMQ worker: `node worker.js <settings as JSON>`. It lives until it is killed. */
import { appendFileSync, writeSync } from "node:fs";
import { processor } from "kumiko/bullmq";
import { postgresStore } from "kumiko/postgres";
import { type Address, connect } from "../connect.js";
import { makeApps } from "./apps.js";

export interface WorkerSettings {
  readonly address: Address;
  readonly queue: string;
  /** The connection string of the store. */
  readonly store: string;
  /** The file in which everything is noted. */
  readonly log: string;
  /** Which process it is. */
  readonly life: number;
}

const settings: WorkerSettings = JSON.parse(process.argv[2] ?? "");
const store = postgresStore({ connectionString: settings.store });
const apps = makeApps(store, (line) => {
  appendFileSync(settings.log, `${JSON.stringify({ ...line, life: settings.life })}\n`);
});
const worker = connect(settings.address).worker(settings.queue, processor(apps), {
  concurrency: 4,
  lockDuration: 1_000,
  stalledInterval: 500,
  maxStalledCount: 1_000,
});
await worker.waitUntilReady();
writeSync(1, "ready\n");
