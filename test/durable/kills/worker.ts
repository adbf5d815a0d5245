/** A process that works on runs: `node worker.js <settings as JSON>`. It lives until it is killed, or ends on SIGTERM. */
import { openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { KumikoError, RunControl } from "kumiko";
import { processor } from "kumiko/bullmq";
import { startWorker } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import { type Address, connect } from "../../bullmq/connect.js";
import { makeApps } from "./apps.js";

export interface JobQueue {
  readonly address: Address;
  readonly name: string;
}

export interface WorkerSettings {
  /** A connection string, or a file of SQLite. */
  readonly store: string;
  /** The file in which everything is noted. */
  readonly log: string;
  /** Which process it is. */
  readonly life: number;
  /** Where its jobs are. Without it, the worker finds runs by itself, and turns are told to it on stdin. */
  readonly queue?: JobQueue | undefined;
  /** It may not be able to look for runs for some time. */
  readonly mayBeAway: boolean;
}

/** A turn, as a line of JSON. */
export interface TurnRequest {
  readonly threadId: string;
  readonly requestId: string;
  readonly input: string;
}

const { store: place, log, life, queue, mayBeAway }: WorkerSettings = JSON.parse(process.argv[2] ?? "");
const store = place.startsWith("postgres") ? postgresStore({ connectionString: place }) : sqliteStore(place);
const apps = makeApps(store, { log: openSync(log, "a"), life });

const stop = queue === undefined ? workAlone() : await workFor(queue);
process.once("SIGTERM", () => {
  void stop().then(() => store.close());
});
writeSync(1, "ready\n");

function workAlone(): () => Promise<unknown> {
  const control = new RunControl();
  const turns = new Set<Promise<unknown>>();
  const worker = startWorker(apps, {
    concurrency: 5,
    pollMs: 200,
    onError: (error, row) => {
      const isAway = row === undefined && KumikoError.is(error) && error.code === "STORE_FAILED";
      if (!(isAway && mayBeAway)) console.error(row?.id, error);
    },
  });
  const requests = createInterface(process.stdin);
  requests.on("line", (text) => {
    const { input, ...request }: TurnRequest = JSON.parse(text);
    const turn = apps.clerk.segment(request, { input, control }).catch((error: unknown) => {
      console.error(request, error);
    });
    turns.add(turn);
    void turn.then(() => turns.delete(turn));
  });
  return async () => {
    requests.close();
    process.stdin.destroy();
    control.interrupt();
    await worker.stop();
    await Promise.all(turns);
  };
}

async function workFor({ address, name }: JobQueue): Promise<() => Promise<unknown>> {
  const control = new RunControl();
  const worker = connect(address).worker(name, processor(apps, { options: () => ({ control }) }), {
    concurrency: 5,
    lockDuration: 1_000,
    stalledInterval: 500,
    maxStalledCount: 1_000,
  });
  await worker.waitUntilReady();
  return () => {
    control.interrupt();
    return worker.close();
  };
}
