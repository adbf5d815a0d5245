// A worker that is killed in the middle can be resumed: every finished step is saved before the next one starts.
// expect: first worker: fetches page 1
// expect: first worker: fetches page 2
// expect: first worker: fetches page 3
// expect: first worker was killed
// expect: second worker: fetches page 3
// expect: second worker: fetches page 4
// expect: page 1, page 2, page 3, page 4
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { END, Graph, KumikoError, START } from "kumiko";
import { sqliteStore } from "kumiko/sqlite";

const [file, worker] = process.argv.slice(2);
if (file === undefined || worker === undefined) await startTwoWorkers();
else await work(file, worker);

async function work(file: string, worker: string): Promise<void> {
  const store = sqliteStore(file);
  const crawler = new Graph<number, string>()
    .withState(() => ({ pages: new Set<string>() }))
    .addNode("fetch", (page: number, { state }) => {
      console.log(`${worker}: fetches page ${page}`);
      // A task that was interrupted runs again, and may find its earlier changes in the state. With a set, that is
      // harmless.
      state.pages.add(`page ${page}`);
      if (worker === "first worker" && page === 3) process.kill(process.pid, "SIGKILL"); // no cleanup
      return page + 1;
    })
    .addNode("tell", (_page: number, { state }) => [...state.pages].join(", "))
    .addEdge(START, "fetch")
    .addBranch("fetch", ["fetch", "tell"], (next) => (next <= 4 ? "fetch" : "tell"))
    .addEdge("tell", END)
    .compile({ name: "crawler", store, durability: "step" });

  // The store detects that the first worker is gone. As long as that worker is alive, resume rejects with
  // CHECKPOINT_IN_USE.
  const goOn = crawler.resume("crawl").catch((error) => {
    if (!KumikoError.is(error) || error.code !== "UNKNOWN_CHECKPOINT") throw error;
    return crawler.invoke(1, { checkpointId: "crawl" }); // nothing to resume: this is the first worker
  });
  console.log(await goOn);
  await store.close();
}

/** Runs each worker in its own process, on the same file. */
async function startTwoWorkers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-crash-"));
  try {
    for (const name of ["first worker", "second worker"]) {
      const command = [...process.execArgv, fileURLToPath(import.meta.url), join(folder, "runs.db"), name];
      const child = spawn(process.execPath, command, { stdio: "inherit" });
      const signal = await new Promise((resolve) => child.on("close", (_code, signal) => resolve(signal)));
      if (signal !== null) console.log(`${name} was killed`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
