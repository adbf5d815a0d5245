import { openSync } from "node:fs";
import type { CheckpointStore } from "kumiko";
import { startWorker } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import { killApps } from "./kill-apps.js";

const [place = "", log = "", turns = "0"] = process.argv.slice(2);
const store: CheckpointStore = place.startsWith("postgres")
  ? postgresStore({ connectionString: place })
  : sqliteStore(place);
const apps = killApps(store, openSync(log, "a"));

startWorker(apps, {
  concurrency: 5,
  pollMs: 100,
  // on a busy machine a run may meet many deaths in a row before it gets on
  options: () => ({ maxAttempts: 1_000 }),
  onError: (error) => console.error(String(error)),
});

// every process delivers every request, as an at-least-once queue would
const requests = Array.from({ length: Number(turns) }, (_, n) => ({ threadId: `t${n}`, requestId: "r" }));
for (const request of requests.sort(() => Math.random() - 0.5)) {
  apps.clerk
    .segment(request, { input: "Look.", maxAttempts: 1_000 })
    .catch((error: unknown) => console.error(String(error)));
  await new Promise((resolve) => setTimeout(resolve, 20));
}
