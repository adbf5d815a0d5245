import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { textOf } from "kumiko";
import { threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canBeSent } from "../agents.js";
import type { CrashSettings } from "./crash-settings.js";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-agent-crash-"));
const script = join(folder, "worker.mjs");

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, "worker.ts")],
    outfile: script,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
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
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Said {
  readonly text?: string;
  readonly code?: string;
  readonly message?: string;
}

/** Runs a process; `undefined` when it was killed. */
async function run(settings: CrashSettings): Promise<Said | undefined> {
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  const [, signal] = await once(child, "close");
  return signal === "SIGKILL" ? undefined : JSON.parse(said);
}

function linesOf(log: string): string[] {
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
}

/** Tools that began again although their result had been saved. */
function ranTwice(lines: readonly string[]): string[] {
  return ["a", "b", "c"].filter((name) => {
    const end = lines.findIndex((line) => line.endsWith(`end ${name}`));
    const life = lines[end]?.split(" ")[0];
    const saved = lines.findIndex((line, index) => index > end && line === `${life} saved`);
    return end >= 0 && saved >= 0 && lines.slice(saved).some((line) => line.endsWith(`begin ${name}`));
  });
}

async function lastOf(file: string): Promise<{ readonly turns: number; readonly text: string }> {
  const store = sqliteStore(file);
  let turns = 0;
  for await (const _turn of threads(store).turns("t")) turns += 1;
  const last = (await threads(store).messages("t")).at(-1);
  await store.close();
  return { turns, text: last === undefined ? "" : textOf(last) };
}

describe("A thread that two processes write to at once", () => {
  it("has every turn of both, one after another, and each answer behind its question", {
    timeout: 120_000,
  }, async () => {
    const file = join(folder, "shared.db");
    const turns = 6;
    const settings = (name: string, life: number): CrashSettings => {
      return { store: file, log: join(folder, `shared-${life}.log`), life, command: name, turns };
    };
    expect(await Promise.all([run(settings("a", 1)), run(settings("b", 2))])).toMatchObject([
      { text: "to a" },
      { text: "to b" },
    ]);
    const store = sqliteStore(file);
    const told: string[] = [];
    for await (const { number, status, messages } of threads(store).turns("t")) {
      const [question, answer] = messages.map(textOf);
      expect([number, status, answer]).toEqual([told.length + 1, "done", `to ${question}`]);
      told.push(question ?? "");
    }
    await store.close();
    const asked = (name: string) => [...Array.from({ length: turns - 1 }, (_, index) => `${name} ${index + 1}`), name];
    expect(told.filter((text) => text.startsWith("a"))).toEqual(asked("a"));
    expect(told.filter((text) => text.startsWith("b"))).toEqual(asked("b"));
  });
});

describe("An agent whose process is killed at any moment of a turn", () => {
  const files = (name: string) => ({ store: join(folder, `${name}.db`), log: join(folder, `${name}.log`) });

  it("goes on with the thread, and no finished tool runs twice", { timeout: 240_000 }, async () => {
    const whole = files("whole");
    expect(await run({ ...whole, life: 1, command: "go" })).toMatchObject({ text: "all done" });
    const moments = linesOf(whole.log).length;
    expect(moments).toBeGreaterThan(15);
    for (let dieAt = 1; dieAt <= moments; dieAt++) {
      const own = files(`resumed-${dieAt}`);
      expect(await run({ ...own, life: 1, command: "go", dieAt })).toBeUndefined();
      const second = await run({ ...own, life: 2, command: "resume" });
      // before the first write there is nothing to go on with, and after the last one nothing to do
      const { turns, text } = await lastOf(own.store);
      if (second?.code === "UNKNOWN_CHECKPOINT" && turns === 0) continue;
      if (second?.text === undefined) expect([dieAt, second?.code]).toEqual([dieAt, "UNKNOWN_CHECKPOINT"]);
      expect([dieAt, turns, text]).toEqual([dieAt, 1, "all done"]);
      expect(ranTwice(linesOf(own.log))).toEqual([]);
    }
  });

  it("leaves a log that can be sent when something new is asked", { timeout: 240_000 }, async () => {
    for (const dieAt of [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]) {
      const own = files(`asked-${dieAt}`);
      expect(await run({ ...own, life: 1, command: "go", dieAt })).toBeUndefined();
      expect([dieAt, await run({ ...own, life: 2, command: "new" })]).toMatchObject([dieAt, { text: "new" }]);
      const store = sqliteStore(own.store);
      const messages = await threads(store).messages("t");
      await store.close();
      expect(canBeSent(messages)).toBe(true);
      expect(messages.at(-1)?.contentBlocks).toMatchObject([{ text: "new" }]);
    }
  });
});
