import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { CheckpointStore } from "kumiko";
import { threads } from "kumiko/agents";
import { runs } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { describeWithPostgres, hookTimeout, type PostgresServer, startServer } from "../../stores/postgres/server.js";
import { type Effect, outputs } from "./kill-apps.js";

/** How many processes are killed, and how many are frozen; `npm run laws -- workers` asks for more. */
const kills = Number(process.env.KUMIKO_WORKER_KILLS ?? 8);
const freezes = Math.ceil(kills / 5);
const perApp = 4 + Math.ceil(kills / 2);

const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-kills-"));
const script = join(folder, "worker.mjs");
const living = new Set<ChildProcess>();

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, "kill-worker.ts")],
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
    plugins: [
      {
        name: "drivers",
        setup({ onResolve }) {
          onResolve({ filter: /^(libsql|pg|better-sqlite3)$/ }, ({ path }) => ({
            path: import.meta.resolve(path),
            external: true,
          }));
        },
      },
    ],
  });
}, 60_000);
afterEach(() => {
  for (const child of living) child.kill("SIGKILL");
  living.clear();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Aftermath {
  readonly missing: readonly string[];
  /** Tasks that began again although nobody had ended the process that had begun them before. */
  readonly repeated: readonly string[];
  readonly worst: number;
  readonly repetitions: number;
  readonly tasks: number;
  readonly errors: string;
}

/** Lets three workers work, and kills and freezes them until all runs have ended. */
async function campaign(name: string, place: string, store: CheckpointStore): Promise<Aftermath> {
  const log = join(folder, `${name}.log`);
  writeFileSync(log, "");
  const killed = new Set<number>();
  let errors = "";
  const hire = (): void => {
    const child = spawn(process.execPath, [script, place, log, String(perApp)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    living.add(child);
    child.stderr?.on("data", (data) => {
      errors += String(data);
    });
  };
  const any = (): ChildProcess => [...living][Math.floor(Math.random() * living.size)] as ChildProcess;
  const inbox = runs(store);
  const expected = new Map<string, string>();
  for (const [app, output] of Object.entries(outputs)) {
    for (let n = 0; n < perApp; n++) {
      const { id } = await inbox.enqueue(app, `${n % 10}`, { id: `${app}-${n}` });
      expected.set(id, output(`${n % 10}`));
    }
  }
  for (let n = 0; n < 3; n++) hire();
  const answering = new AbortController();
  const answer = async (): Promise<void> => {
    while (!answering.signal.aborted) {
      for await (const { run, interrupt } of inbox.questions()) await inbox.answer(run.id, { [interrupt.id]: "yes" });
      await pause(50);
    }
  };
  const answers = answer();
  for (let n = 0; n < kills; n++) {
    await pause(300 + Math.random() * 700);
    if (n % 5 === 0 && n / 5 < freezes) {
      const frozen = any();
      frozen.kill("SIGSTOP");
      void pause(500 + Math.random() * 1_500).then(() => frozen.kill("SIGCONT"));
    }
    const child = any();
    living.delete(child);
    killed.add(child.pid ?? 0);
    child.kill("SIGKILL");
    hire();
  }
  const missing = await stillMissing(store, expected);
  answering.abort();
  await answers;
  return { missing, ...repetitionsIn(log, killed), errors };
}

async function stillMissing(store: CheckpointStore, expected: ReadonlyMap<string, string>): Promise<string[]> {
  const inbox = runs(store);
  const open = new Map(expected);
  const turns = new Set(Array.from({ length: perApp }, (_, n) => `t${n}`));
  for (let tries = 0; tries < 600 && open.size + turns.size > 0; tries++) {
    await pause(100);
    for (const [id, output] of open) {
      const run = await inbox.get(id);
      if (run?.status === "failed") return [`${id} failed: ${run.error?.message}`];
      if (run?.status !== "finished") continue;
      if (run.output !== output) return [`${id} is ${String(run.output)}`];
      open.delete(id);
    }
    for (const id of turns) {
      const all: string[] = [];
      for await (const turn of threads(store).turns(id)) all.push(`${turn.number} ${turn.status}`);
      if (all.length > 1) return [`${id}: ${all.join()}`];
      if (all[0] === "1 done") turns.delete(id);
    }
  }
  return [...open.keys(), ...turns];
}

/** A task may begin again only if the process that had begun it was killed. */
function repetitionsIn(log: string, killed: ReadonlySet<number>) {
  const begun = new Map<string, number[]>();
  for (const line of readFileSync(log, "utf8").trim().split("\n")) {
    const { pid, task }: Effect = JSON.parse(line);
    begun.set(task, [...(begun.get(task) ?? []), pid]);
  }
  const repeated = [...begun].filter(([, pids]) => pids.slice(0, -1).some((pid) => !killed.has(pid)));
  const counts = [...begun.values()].map((pids) => pids.length - 1);
  return {
    repeated: repeated.map(([task, pids]) => `${task}: ${pids.join()}`),
    worst: Math.max(...counts),
    repetitions: counts.reduce((sum, count) => sum + count, 0),
    tasks: begun.size,
  };
}

function check(name: string, { errors, ...aftermath }: Aftermath): void {
  const { missing, repeated, ...figures } = aftermath;
  const report = process.env.KUMIKO_WORKER_REPORT;
  if (report !== undefined) appendFileSync(report, `${JSON.stringify({ name, kills, freezes, perApp, ...figures })}\n`);
  expect({ missing, repeated, errors }).toEqual({ missing: [], repeated: [], errors: "" });
}

it("Workers on a SQLite file that are killed and frozen end all runs", { timeout: 0 }, async () => {
  const place = join(folder, "runs.db");
  const store = sqliteStore(place);
  check("sqlite", await campaign("sqlite", place, store));
  await store.close();
});

describeWithPostgres("Workers on PostgreSQL that are killed and frozen", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startServer();
  }, hookTimeout);
  afterAll(() => server?.stop());

  it("end all runs", { timeout: 0 }, async () => {
    const store = postgresStore({ connectionString: server.url() });
    check("postgres", await campaign("postgres", server.url(), store));
    await store.close();
  });
});
