import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgenticMessage, assistantMessage, Chain, textOf, userMessage } from "kumiko";
import { cassette } from "kumiko/evals";
import { describe, expect, it, onTestFinished } from "vitest";
import { usePrograms } from "../../programs.js";

const recorder = join(import.meta.dirname, "fixtures/recorder.ts");
const evaluation = join(import.meta.dirname, "fixtures/evaluation.ts");
const programOf = usePrograms(recorder, evaluation);

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "evals-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Ended {
  readonly output: string;
  readonly errors: string;
  readonly isKilled: boolean;
}

/** Runs a program to its end; `onOutput` may kill it. */
async function run(source: string, args: readonly string[], onOutput?: (kill: () => void) => void): Promise<Ended> {
  const child = spawn(process.execPath, [programOf(source), ...args], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [output, errors] = ["", ""];
  child.stdout.on("data", (piece) => {
    output += piece;
    onOutput?.(() => child.kill("SIGKILL"));
  });
  child.stderr.on("data", (piece) => {
    errors += piece;
  });
  const [, signal] = await once(child, "close");
  return { output, errors, isKilled: signal === "SIGKILL" };
}

describe("three processes on one tape", () => {
  it("leave a tape that answers everything, although one of them is killed", { timeout: 120_000 }, async () => {
    const folder = join(newFolder(), "tape");
    const ended = await Promise.all([
      run(recorder, [folder, "a"], (kill) => kill()),
      run(recorder, [folder, "b"]),
      run(recorder, [folder, "c"]),
    ]);
    expect(ended.map(({ isKilled, errors }) => [isKilled, errors])).toEqual([
      [true, ""],
      [false, ""],
      [false, ""],
    ]);
    const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(files).toHaveLength(60);
    for (const name of files)
      expect(JSON.parse(readFileSync(join(folder, name), "utf8"))).toMatchObject({ version: 1 });
    const model = { component: "model" as const, type: "test/echo", generate: async () => assistantMessage("asked") };
    const tape = cassette(folder, { mode: "replay" });
    const app = new Chain<readonly AgenticMessage[]>().appendModel(tape.model(model)).compile();
    for (let index = 0; index < 60; index++) {
      expect(textOf(await app.invoke([userMessage(`question ${index}`)]))).toMatch(`question ${index} answered`);
    }
    expect(tape.stats).toEqual({ replayed: 60, recorded: 0, reused: 0 });
  });
});

describe("an evaluation with a store", () => {
  it("comes to its end however often it is killed, and repeats no finished run or scorer", {
    timeout: 240_000,
  }, async () => {
    const folder = newFolder();
    const [store, log] = [join(folder, "runs.db"), join(folder, "log")];
    const cases = 60;
    let seed = 11;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return 1 + (seed % below);
    };
    let kills = 0;
    let said: Ended | undefined;
    while (kills < 20 && said?.isKilled !== false) {
      said = await run(evaluation, [store, log, String(cases), String(random(10))]);
      if (said.isKilled) kills += 1;
    }
    expect(kills).toBe(20);
    said = await run(evaluation, [store, log, String(cases), "0"]);
    expect(said.errors).toBe("");
    expect(JSON.parse(said.output)).toMatchObject({ results: cases, finds: { cases, rate: 1, unscored: 0 } });

    const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    const models = lines.filter((line) => line.startsWith("model "));
    // what was on its way when it was killed is done again: at most four cases at a time
    expect(models.length).toBeGreaterThanOrEqual(2 * cases);
    expect(models.length).toBeLessThanOrEqual(2 * cases + 4 * kills);
    for (let index = 0; index < cases; index++) {
      const scored = lines.indexOf(`scored c${index}`);
      const after = lines.slice(scored).filter((line) => line.startsWith(`model c${index} `));
      expect([index, after]).toEqual([index, []]);
    }
  });
});
