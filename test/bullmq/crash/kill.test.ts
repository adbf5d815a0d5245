import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runs } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { usePrograms } from "../../programs.js";
import { openAdmin, type PostgresServer, startServer, whyNot } from "../../stores/postgres/server.js";
import { describeBackends } from "../backends.js";
import { allTasks, type LogLine, lastTasks } from "./apps.js";
import { Workers } from "./workers.js";

/** How often a process is killed; `KUMIKO_KILLS=200 npx vitest run test/bullmq/crash` for more. */
const kills = Number(process.env.KUMIKO_KILLS ?? 10);
const runCount = 4 * kills;
const program = join(import.meta.dirname, "worker.ts");

const missing = whyNot();
describe.skipIf(missing !== undefined)(
  `Workers of BullMQ that are killed${missing ? ` (skipped: ${missing})` : ""}`,
  () => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-bullmq-"));
    const programOf = usePrograms(program);
    let database: PostgresServer;
    beforeAll(async () => {
      database = await startServer();
    });
    afterAll(async () => {
      await database?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    describeBackends("with queues", (backend) => {
      let workers: Workers | undefined;
      afterEach(() => workers?.stop());

      it("leave runs that all end, and repeat nothing but what they were doing", { timeout: 600_000 }, async () => {
        const [name = ""] = Object.keys(backend().address);
        const log = join(folder, `${name}.log`);
        await createDatabase(`runs_${name}`, database);
        const url = database.url(`runs_${name}`);
        const store = postgresStore({ connectionString: url });
        const queue = backend().queue("orders");
        const ids = Array.from({ length: runCount }, (_, n) => `order-${n}${n % 3 === 0 ? "-asked" : ""}`);
        workers = new Workers(programOf(program), { address: backend().address, queue: "orders", store: url, log });
        await Promise.all([workers.start(), workers.start(), workers.start()]);
        // every job comes twice
        for (const id of [...ids, ...ids]) await queue.add("order", { id, input: { run: id, done: [] } });

        const state = runs(store);
        const open = new Set(ids);
        let left = kills;
        while (open.size > 0) {
          if (left-- > 0) await workers.killOne();
          else await new Promise((resolve) => setTimeout(resolve, 200));
          // by a process without the apps; what is not certain to have arrived is said again
          for await (const { run, interrupt } of state.questions()) {
            await state.answer(run.id, { [interrupt.id]: "yes" });
            await queue.add("order", { id: run.id });
          }
          for (const id of open) if ((await state.get(id))?.status === "finished") open.delete(id);
        }
        await workers.stop();

        expect(workers.complaints).toBe("");
        const lines: (LogLine & { readonly life: number })[] = readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
        const mistakes = ids.flatMap((id) =>
          allTasks.flatMap((task) => {
            const began = lines.filter((line) => line.run === id && line.task === task && line.kind === "begin");
            const survivors = began.slice(0, -1).filter(({ life }) => !workers?.killed.has(life));
            const repeated = new Set(began.map(({ life }) => life)).size !== began.length;
            return began.length === 0 || survivors.length > 0 || repeated ? [{ id, task, began }] : [];
          }),
        );
        expect(mistakes).toEqual([]);
        const repetitions = lines.filter(({ kind }) => kind === "begin").length - ids.length * allTasks.length;
        // four runs at a time, with three items at most
        expect(repetitions).toBeLessThanOrEqual(kills * 4 * 3);
        for (const id of ids) expect(await state.get(id)).toMatchObject({ output: { run: id, done: lastTasks } });
        await queue.close();
        await store.close();
      });
    });
  },
);

async function createDatabase(name: string, server: PostgresServer): Promise<void> {
  const pool = openAdmin(server);
  await pool.query(`CREATE DATABASE ${name}`);
  await pool.end();
}
