import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { afterAll, expect, it } from "vitest";
import { chooseSeed, dice } from "../../crash/dice.js";
import { usePrograms } from "../../programs.js";

const program = join(import.meta.dirname, "user-child.ts");
const programOf = usePrograms(program);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-user-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const turns = 10;

it("two processes learn about the same users, are killed, and forget and mix up nothing", { timeout: 0 }, async () => {
  const seed = chooseSeed();
  const roll = dice(seed);
  const [file, log] = [join(folder, "store.db"), join(folder, "log")];
  const store = sqliteStore(file);
  await store.put("~first", new Uint8Array(), undefined);
  let kills = 0;
  const life = async (crew: string, dieAt: number): Promise<boolean> => {
    const args = [programOf(program), file, log, crew, String(turns), String(dieAt)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const [code, signal] = await once(child, "close");
    if (signal === "SIGKILL") return false;
    expect(`${code} ${stderr}`, `KUMIKO_CRASH_SEED=${seed}`).toBe("0 ");
    return true;
  };
  const crew = async (name: string): Promise<void> => {
    for (let lives = 0; !(await life(name, lives < 6 ? 1 + roll(60) : 0)); lives++) kills += 1;
  };
  await Promise.all([crew("x"), crew("y")]);
  expect(kills).toBeGreaterThan(0);
  const lines = readFileSync(log, "utf8").trim().split("\n");
  expect(lines.filter((line) => line.startsWith("failed"))).toEqual([]);
  for (const user of ["ann", "bob"]) {
    const row = await store.get(`~user/${user}`);
    const { states } = JSON.parse(new TextDecoder().decode(row?.data));
    const all = ["x", "y"].flatMap((name) => Array.from({ length: turns }, (_, turn) => `${name}-${turn}`));
    const own = all.filter((fact) => Number(fact.slice(2)) % 2 === (user === "ann" ? 0 : 1));
    const facts = Object.fromEntries(own.map((fact) => [`${user}-${fact}`, true]));
    expect(states, `KUMIKO_CRASH_SEED=${seed}`).toEqual({ userProfile: facts });
    for (const fact of own) {
      const texts = JSON.stringify(await threads(store, { userId: user }).messages(fact));
      expect(texts, `KUMIKO_CRASH_SEED=${seed}`).toContain(`Noted ${user}-${fact}.`);
    }
  }
  await store.close();
});
