import { appendFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeBackends } from "../../bullmq/backends.js";
import type { Address } from "../../bullmq/connect.js";
import { usePrograms } from "../../programs.js";
import { describeWithPostgres, openAdmin, type PostgresServer, startServer } from "../../stores/postgres/server.js";
import { campaign, type Place, type Troubles } from "./campaign.js";
import { pause } from "./feed.js";

/** How many processes are killed; `npm run laws -- workers` asks for more. */
const kills = Number(process.env.KUMIKO_WORKER_KILLS ?? 5);
const outages = Math.ceil(kills / 50);
const harsh: Troubles = { kills, freezes: Math.ceil(kills / 5), stops: Math.ceil(kills / 20), outages };
const gentle: Troubles = { kills: 0, freezes: 0, stops: Math.ceil(kills / 5), outages };

const program = join(import.meta.dirname, "worker.ts");
const programOf = usePrograms(program);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-kills-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Open = (name: string) => Promise<Omit<Place, "program" | "log"> & { close(): Promise<void> }>;

function campaigns(where: string, open: Open): void {
  it("end all runs, and repeat only what was under way at a kill", { timeout: 0 }, async () => {
    const { ended, repetitions, most } = await survive(`${where}-harsh`, open, harsh);
    expect(ended).toBeGreaterThan(0);
    // five runs and six turns, of which some have two tasks at a time; one more may wait to be saved
    expect(most).toBeLessThanOrEqual(40);
    expect(repetitions).toBeLessThanOrEqual(40 * kills);
  });

  it("repeat nothing when they are stopped, and the database is away", { timeout: 0 }, async () => {
    expect(await survive(`${where}-gentle`, open, gentle)).toMatchObject({ repetitions: 0, abandoned: 0 });
  });
}

async function survive(name: string, open: Open, troubles: Troubles) {
  const { close, ...place } = await open(name.replaceAll("-", "_"));
  const { missing, mistakes, complaints, ...figures } = await campaign(
    { ...place, program: programOf(program), log: join(folder, `${name}.log`) },
    troubles,
  );
  await close();
  const { KUMIKO_WORKER_REPORT: report } = process.env;
  const counts = { missing: missing.length, mistakes: mistakes.length, complaints: complaints.length };
  if (report !== undefined) {
    appendFileSync(report, `${JSON.stringify({ name, ...troubles, ...figures, ...counts })}\n`);
  }
  expect({ missing, mistakes, complaints }).toEqual({ missing: [], mistakes: [], complaints: [] });
  return figures;
}

describe("Workers on SQLite", () => {
  campaigns("sqlite", async (name) => {
    const address = join(folder, `${name}.db`);
    const store = sqliteStore(address);
    return { address, store, away: (milliseconds) => lock(address, milliseconds), close: () => store.close() };
  });
});

/** Holds a transaction open, as another process would. */
async function lock(file: string, milliseconds: number): Promise<void> {
  const database = new Database(file, { timeout: 10_000 });
  database.exec("BEGIN IMMEDIATE");
  await pause(milliseconds);
  database.exec("COMMIT");
  database.close();
}

describeWithPostgres("Workers on PostgreSQL", () => {
  const postgres = usePostgres();
  campaigns("postgres", (name) => postgres(name));
});

describeWithPostgres("Workers of BullMQ", () => {
  const postgres = usePostgres();
  describeBackends("with queues", (backend) => {
    const where = (): Address => backend().address;
    campaigns("bullmq", async (name) => {
      const [kind = ""] = Object.keys(where());
      return { ...(await postgres(`${name}_${kind}`)), queue: { address: where(), name } };
    });
  });
});

/** A server that holds runs only, so that queues do not go away with it. */
function usePostgres(): Open {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.stop());
  return async (name) => {
    const admin = openAdmin(server);
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
    const address = server.url(name);
    const store = postgresStore({ connectionString: address });
    const away = async (milliseconds: number): Promise<void> => {
      await server.crash();
      await pause(milliseconds);
      await server.restart();
    };
    return { address, store, away, close: () => store.close() };
  };
}
