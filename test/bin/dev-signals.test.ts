// kumiko dev that is interrupted again while it waits for runs.
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runs } from "kumiko/durable";
import { sqliteStore } from "kumiko/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { code, folder, soon, startDev } from "./start-dev.js";

it.each([
  ["a node that takes long", "await new Promise((done) => setTimeout(done, 60_000));"],
  ["a loop without end", "for (;;);"],
])("ends at once at a second interrupt, and leaves no process behind: %s", async (_, work) => {
  const path = folder();
  const [file, pidFile, database] = ["app.ts", "pid", "runs.db"].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ];
  const told = `import { writeFileSync } from "node:fs";
    const tell = () => writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`;
  const app = `export const slow = new Chain()
    .append(async () => "begun", { key: "begin" })
    .append(async () => { tell(); ${work} }, { key: "wait" })
    .compile({ name: "slow" });`;
  writeFileSync(file, code(told + app));
  const dev = await startDev(file, "--port", "0", "--store", database);
  await soon(dev.apps).toContain("slow");
  void dev.post("start", { app: "slow", input: 1 }).catch(() => undefined);
  await soon(() => existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/^\d+$/);
  const ended = once(dev.child, "exit");
  dev.child.kill("SIGINT");
  // the app is being stopped
  await soon(async () => (await dev.ask("runs")).status).toBe(503);
  dev.child.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  const pid = Number(readFileSync(pidFile, "utf8"));
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
  await soon(() => isAlive(pid)).toBe(false);
  // a first interrupt gives a run time, after which it is "stopped"
  const store = sqliteStore(database);
  onTestFinished(() => store.close());
  const { value } = await runs(store).list()[Symbol.asyncIterator]().next();
  expect(value).toMatchObject({ graph: "slow", status: "running" });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
