import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { usePrograms } from "../../programs.js";

const program = join(import.meta.dirname, "kill-child.ts");
const programOf = usePrograms(program);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-files-kill-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a process says; `undefined` if it was killed. */
async function run(
  place: string,
  dieAt: number,
): Promise<{ text: string; results: string[]; errors: unknown[] } | undefined> {
  const child = spawn(
    process.execPath,
    [programOf(program), join(place, "store.db"), join(place, "files"), join(place, "log"), String(dieAt)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  const [, signal] = await once(child, "close");
  return signal === "SIGKILL" ? undefined : JSON.parse(said);
}

it("does each write of an agent once, whenever its process is killed", async () => {
  const whole = mkdtempSync(join(folder, "whole-"));
  const expected = await run(whole, 0);
  expect(expected?.errors).toEqual([]);
  expect(readFileSync(join(whole, "files/a"), "utf8")).toBe("\n more\n");
  const notes = readFileSync(join(whole, "log"), "utf8").trim().split("\n");
  const moments = notes.flatMap((note, index) => (note.startsWith("writ") ? [index + 1] : []));
  expect(moments).toHaveLength(8);
  for (const moment of moments) {
    const place = mkdtempSync(join(folder, `at-${moment}-`));
    const killed = await run(place, moment);
    const end = killed ?? (await run(place, 0).catch((error: unknown) => error));
    const { results } = (end ?? {}) as { results?: string[] };
    expect([moment, results]).toEqual([moment, expected?.results]);
    expect([moment, readFileSync(join(place, "files/a"), "utf8")]).toEqual([moment, "\n more\n"]);
    expect([moment, readFileSync(join(place, "files/results/1-3.txt"), "utf8").length]).toEqual([moment, 30_000]);
    expect(readdirSync(join(place, "files")).sort()).toEqual(["a", "results"]);
  }
}, 300_000);
