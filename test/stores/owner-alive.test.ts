import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseProcessOwner, processOwner } from "../../src/checkpoint/journal/process-owner.js";
import { isProcessOwnerAlive } from "../../src/stores/owner-alive.js";

const source = new URL("../../src/checkpoint/journal/process-owner.ts", import.meta.url).pathname;
const children: ChildProcess[] = [];
let folder = "";
let script = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kumiko-owner-"));
  script = join(folder, "owner.mjs");
  const bundled = await build({ bundle: true, format: "esm", write: false, entryPoints: [source] });
  writeFileSync(script, `${bundled.outputFiles[0]?.text}\nconsole.log(processOwner()); setTimeout(() => {}, 60_000);`);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rm(folder, { recursive: true }));

/** A process that goes on until it is killed. */
async function startOwner(command = process.execPath, ...before: string[]) {
  const child = spawn(command, [...before, script], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const [line] = await once(child.stdout, "data");
  return { child, owner: String(line).trim() };
}

function changed(owner: string, part: { host?: string; pid?: number; start?: string }): string {
  const named = { ...parseProcessOwner(owner), ...part };
  return `node/${named.host}/${named.pid}/${named.start}`;
}

describe("isProcessOwnerAlive", { timeout: 30_000 }, () => {
  it("says that this process is there", () => expect(isProcessOwnerAlive(processOwner())).toBe(true));

  it("says that another process is there, until it is killed", async () => {
    const { child, owner } = await startOwner();
    expect(parseProcessOwner(owner)?.pid).toBe(child.pid);
    expect(isProcessOwnerAlive(owner)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isProcessOwnerAlive(owner)).toBe(false);
  });

  it("cannot know of other hosts and of names of another kind", async () => {
    const gone = await startOwner();
    gone.child.kill("SIGKILL");
    await once(gone.child, "exit");
    expect(isProcessOwnerAlive(changed(gone.owner, { host: "elsewhere" }))).toBe(true);
    expect(isProcessOwnerAlive(changed(gone.owner, { start: "plan9:1700000000" }))).toBe(true);
    for (const name of ["", "process/00112233445566778899aabbccddeeff", "somebody", "node/x/y/z"])
      expect(isProcessOwnerAlive(name)).toBe(true);
  });

  describe.runIf(process.platform === "linux")("on Linux", () => {
    it("tells a process from an earlier one with its number", () => {
      const start = parseProcessOwner(processOwner())?.start ?? "";
      expect(isProcessOwnerAlive(changed(processOwner(), { start: start.replace(/\d+$/, "1") }))).toBe(false);
    });

    it("cannot know of another boot or another container", async () => {
      const { child, owner } = await startOwner();
      child.kill("SIGKILL");
      await once(child, "exit");
      const start = parseProcessOwner(owner)?.start ?? "";
      const [, boot = "", namespace = ""] = start.split(":");
      expect(isProcessOwnerAlive(changed(owner, { start: start.replace(boot, "another-boot") }))).toBe(true);
      expect(isProcessOwnerAlive(changed(owner, { start: start.replace(`:${namespace}:`, ":1:") }))).toBe(true);
    });

    it("says that a process whose parent has not asked for its exit code is gone", async () => {
      // the shell starts the owner, becomes a program that waits for nobody, and so leaves a zombie
      const { owner } = await startOwner("sh", "-c", `"${process.execPath}" "$0" & exec sleep 60`);
      const { pid = 0 } = parseProcessOwner(owner) ?? {};
      expect(isProcessOwnerAlive(owner)).toBe(true);
      process.kill(pid, "SIGKILL");
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
      expect(isProcessOwnerAlive(owner)).toBe(false);
    });
  });
});
