// Three processes share the work. One is killed in the middle, and another one goes on with its order; a fourth process, which
// knows neither the graph nor its nodes, answers the question of an order.
// expect: a worker was killed
// expect: order-3 asks: Send 500 boxes?
// expect: order-1: sent 10 boxes
// expect: order-2: sent 20 boxes
// expect: order-3: sent 500 boxes
// expect: order-4: sent 40 boxes
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Chain } from "kumiko";
import { runs, startWorker } from "kumiko/durable";
import { sqliteStore } from "kumiko/sqlite";

const [file] = process.argv.slice(2);
if (file === undefined) await main();
else work(file);

/** A worker: it takes orders until it is told to stop. */
function work(file: string): void {
  const store = sqliteStore(file);
  const order = new Chain<number>()
    .append(
      (boxes) => {
        if (boxes === 20 && !existsSync(`${file}.killed`)) {
          writeFileSync(`${file}.killed`, "");
          process.kill(process.pid, "SIGKILL"); // no cleanup
        }
        return boxes;
      },
      { key: "pack" },
    )
    .append(
      async (boxes, ctx) => {
        const isAllowed = boxes < 100 || (await ctx.ask<boolean>("send", `Send ${boxes} boxes?`));
        return isAllowed ? `sent ${boxes} boxes` : `kept ${boxes} boxes`;
      },
      { key: "send" },
    )
    .compile({ name: "order", store });
  const worker = startWorker({ order }, { concurrency: 1 });
  process.once("SIGTERM", () => void worker.stop().then(() => store.close()));
}

/** The fourth process: it enqueues orders, answers what they ask, and waits for their ends. */
async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-workers-"));
  const file = join(folder, "runs.db");
  const store = sqliteStore(file);
  const orders = runs(store);
  const workers: ChildProcess[] = [];
  try {
    for (const [id, boxes] of Object.entries({ "order-1": 10, "order-2": 20, "order-3": 500, "order-4": 40 }))
      await orders.enqueue("order", boxes, { id });
    const command = [...process.execArgv, fileURLToPath(import.meta.url), file];
    for (let n = 0; n < 3; n++) workers.push(spawn(process.execPath, command, { stdio: "inherit" }));

    await Promise.race(workers.map((worker) => once(worker, "exit")));
    console.log("a worker was killed");
    for await (const { status, interrupts } of orders.watch("order-3")) {
      if (status !== "waiting") continue;
      for (const { id, info } of interrupts) {
        console.log(`order-3 asks: ${info}`);
        await orders.answer("order-3", { [id]: true });
      }
      break;
    }
    for (const id of ["order-1", "order-2", "order-3", "order-4"]) {
      for await (const run of orders.watch(id)) if (run.status === "finished") console.log(`${id}: ${run.output}`);
    }
  } finally {
    const alive = workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = alive.map((worker) => once(worker, "exit"));
    for (const worker of alive) worker.kill("SIGTERM");
    await Promise.all(ended);
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
