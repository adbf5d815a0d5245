import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { textOf } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { scriptedModel } from "kumiko/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

/** How often the process that runs the turns is killed; `npm run laws -- pushes` asks for more. */
const kills = Number(process.env.KUMIKO_PUSH_KILLS ?? 5);
const threadCount = 3;

const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-pushes-"));
const script = join(folder, "worker.mjs");
const file = join(folder, "runs.db");
let worker: ChildProcess | undefined;

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, "push-worker.ts")],
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
          onResolve({ filter: /^libsql$/ }, ({ path }) => ({ path: import.meta.resolve(path), external: true }));
        },
      },
    ],
  });
});
afterAll(() => {
  worker?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function begin(): ChildProcess {
  worker = spawn(process.execPath, [script, file, String(threadCount)], { stdio: ["ignore", "ignore", "inherit"] });
  return worker;
}

it("loses and doubles nothing that was said to turns whose process is killed", async () => {
  const store = sqliteStore(file);
  const all = threads(store);
  const said: string[] = [];
  let count = 0;
  const push = async (): Promise<void> => {
    count += 1;
    const text = `said ${count}`;
    if (await all.push(`t${count % threadCount}`, text)) said.push(text);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
  };
  for (let killed = 0; killed < kills; killed++) {
    const running = begin();
    // each life hears something, however long its start takes
    for (const before = said.length; said.length < before + 8 + (killed % 5); ) await push();
    running.kill("SIGKILL");
    await once(running, "exit");
  }
  const last = begin();
  for (const before = said.length; said.length < before + 10; ) await push();
  last.kill("SIGTERM");
  await once(last, "exit");
  const closing = createAgent({ model: scriptedModel(...Array.from({ length: 20 }, () => "ended")), store });
  const heard: string[] = [];
  for (let index = 0; index < threadCount; index++) {
    const threadId = `t${index}`;
    await closing.generate("The end", { threadId });
    for (const message of await all.messages(threadId)) if (message.extra?.pushed === true) heard.push(textOf(message));
  }
  expect(heard.toSorted()).toEqual(said.toSorted());
  await store.close();
});
