import { appendFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  describeWithPostgres,
  hookTimeout,
  openAdmin,
  type PostgresServer,
  startServer,
} from "../../../stores/postgres/server.js";
import { type Aftermath, endStorms, type Sea, snapshotOfFile, snapshotOfTable, storm } from "./storm.js";

/** The seed of the first storm, and how many operations there are in each store; `npm run laws -- threads` asks for more. */
const seed = Number(process.env.KUMIKO_STORM_SEED ?? Math.floor(Math.random() * 1e6));
const operations = Number(process.env.KUMIKO_STORM_OPERATIONS ?? 100);
const each = 250;

const folder = process.env.KUMIKO_STORM_KEEP ?? mkdtempSync(join(realpathSync(tmpdir()), "kumiko-storm-"));
const script = join(folder, "worker.mjs");

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, "storm-worker.ts")],
    outfile: script,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
    plugins: [
      {
        name: "drivers",
        setup({ onResolve }) {
          onResolve({ filter: /^(libsql|pg)$/ }, ({ path }) => ({ path: import.meta.resolve(path), external: true }));
        },
      },
    ],
  });
}, 60_000);
afterEach(endStorms);
afterAll(() => {
  if (process.env.KUMIKO_STORM_KEEP === undefined) rmSync(folder, { recursive: true, force: true });
});

/** Storms one after another, each with the next seed. */
async function storms(name: string, seaOf: (seed: number) => Sea): Promise<void> {
  const all: Aftermath[] = [];
  for (let done = 0; done < operations; done += each) {
    const own = seed + all.length;
    const aftermath = await storm(seaOf(own), { seed: own, operations: Math.min(each, operations - done) });
    all.push(aftermath);
    expect(aftermath.mistakes, `KUMIKO_STORM_SEED=${own}`).toEqual([]);
  }
  if (process.env.KUMIKO_STORM_REPORT !== undefined) appendFileSync(process.env.KUMIKO_STORM_REPORT, report(name, all));
}

/** Figures of storms: counts, codes, and how long stops have taken. */
function report(name: string, all: readonly Aftermath[]): string {
  const ends = all.flatMap(({ lines }) => lines.flatMap((line) => (line.k === "end" ? [line] : [])));
  const codes: Record<string, number> = {};
  for (const { what, code } of ends) {
    const key = code ?? `${what} ok`;
    codes[key] = (codes[key] ?? 0) + 1;
  }
  const stops = ends.filter(({ what, said }) => what === "stop" && said === true).map(({ ms }) => ms);
  const sorted = stops.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  const sum = (count: (one: Aftermath) => number): number => all.reduce((total, one) => total + count(one), 0);
  const figures = {
    name,
    seed,
    storms: all.length,
    operations: ends.length,
    kills: sum(({ kills }) => kills),
    freezes: sum(({ freezes }) => freezes),
    looks: sum(({ looks }) => looks),
    turns: sum(({ lines }) => new Set(lines.flatMap((line) => (line.k === "wrote" && line.mark) || [])).size),
    pushed: sum(({ lines }) => lines.filter(({ k }) => k === "pushed").length),
    stops: { count: sorted.length, median: at(0.5), p95: at(0.95), most: at(1) },
    codes,
  };
  return `${JSON.stringify(figures)}\n`;
}

describe("Processes that do random things to the same threads, in a SQLite file,", () => {
  it(`leave threads that are whole (KUMIKO_STORM_SEED=${seed})`, { timeout: 0 }, async () => {
    await storms("sqlite", (own) => {
      const file = join(folder, `storm-${own}.db`);
      return {
        folder,
        script,
        settings: { sqlite: file },
        snapshot: snapshotOfFile(file),
        open: async () => sqliteStore(file),
      };
    });
  });
});

describeWithPostgres("Processes that do random things to the same threads, in PostgreSQL,", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  beforeAll(async () => {
    server = await startServer();
    admin = openAdmin(server);
  }, hookTimeout);
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
  });

  it(`leave threads that are whole (KUMIKO_STORM_SEED=${seed})`, { timeout: 0 }, async () => {
    const settings = { postgres: server.url() };
    const open = async () => postgresStore({ connectionString: server.url() });
    await storms("postgres", () => ({ folder, script, settings, snapshot: snapshotOfTable(admin), open }));
  });
});
