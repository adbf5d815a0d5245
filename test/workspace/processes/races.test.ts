import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderFiles } from "kumiko/workspace";
import { afterAll, expect, it } from "vitest";
import { usePrograms } from "../../programs.js";
import { bytes, listed, textAt } from "../files-contract.js";

const program = join(import.meta.dirname, "race-child.ts");
const programOf = usePrograms(program);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-races-"));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function start(what: string, root: string, other = ""): Promise<ChildProcess> {
  const child = spawn(process.execPath, [programOf(program), what, root, other], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout as NodeJS.EventEmitter, "data");
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
}

it.runIf(process.platform === "linux").each(["swap", "swap-file"])(
  "leads nowhere else while another process puts links into the way (%s)",
  async (what) => {
    const root = mkdtempSync(join(folder, "root-"));
    const other = mkdtempSync(join(folder, "other-"));
    mkdirSync(join(root, "a"));
    writeFileSync(join(root, "a/file"), "inside");
    writeFileSync(join(other, "file"), "outside");
    const child = await start(what, root, other);
    const files = folderFiles(root);
    const seen = { inside: 0, written: 0, refused: 0 };
    // on a busy machine, it may take more rounds until one meets the folder as it should be
    for (let round = 0; round < 1_500 || seen.inside === 0 || seen.written === 0; round++) {
      try {
        const text = await textAt(files, "a/file");
        expect(text).not.toBe("outside");
        if (text !== undefined) seen.inside += 1;
        if (round % 3 === 0) {
          await files.write("a/file", bytes("inside"));
          await files.write("a/new", bytes("inside"));
          seen.written += 1;
        }
        if (round % 10 === 0) await listed(files, "a/");
        if (round % 25 === 0) await files.delete("a/new");
      } catch (error) {
        expect((error as { code?: string }).code).toMatch(/INVALID_KEY|LOAD_FAILED|STORE_FAILED/);
        seen.refused += 1;
      }
    }
    await end(child);
    expect(seen.inside).toBeGreaterThan(0);
    expect(seen.written).toBeGreaterThan(0);
    expect(readdirSync(other)).toEqual(["file"]);
    expect(readFileSync(join(other, "file"), "utf8")).toBe("outside");
  },
);

it("counts right in three processes", async () => {
  const root = mkdtempSync(join(folder, "root-"));
  writeFileSync(join(root, "n"), "0");
  const counting = await Promise.all(["count", "count", "count"].map((what) => start(what, root)));
  await Promise.all(counting.map((child) => (child.exitCode === null ? once(child, "close") : undefined)));
  expect(readFileSync(join(root, "n"), "utf8")).toBe("150");
  expect(readdirSync(root)).toEqual(["n"]);
});

it("has whole files after a process was killed, and its lock holds nobody", async () => {
  const root = mkdtempSync(join(folder, "root-"));
  const files = folderFiles(root);
  for (let life = 0; life < 8; life++) {
    const child = await start("write", root);
    while (!existsSync(join(root, "file"))) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 20 + life * 7));
    await end(child);
    const text = (await textAt(files, "file")) ?? "";
    expect(text).toBe((text[0] ?? "").repeat(100_000));
    await files.write("file", bytes("0".repeat(100_000)));
    expect(await listed(files)).toEqual(["file"]);
  }
});
