import { execFileSync } from "node:child_process";
import { hostname } from "node:os";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { parseProcessOwner, processOwner, readLinuxProcess } from "../../../src/checkpoint/journal/process-owner.js";

const source = new URL("../../../src/checkpoint/journal/process-owner.ts", import.meta.url).pathname;
let script = "";

beforeAll(async () => {
  const options = { bundle: true, format: "iife", globalName: "owners", write: false, platform: "neutral" } as const;
  script = (await build({ ...options, entryPoints: [source] })).outputFiles[0]?.text ?? "";
});

/** The name that a fresh process has, after `before` ran in it. */
const nameAfter = (before: string) => execFileSync(process.execPath, ["-e", `${before};${script};${print}`]).toString();
const print = "process.stdout.write(owners.processOwner())";
const hidden = "globalThis.realProcess = process; delete globalThis.process;";
const printHidden = "realProcess.stdout.write([1, 2].map(() => owners.processOwner()).join())";

describe("processOwner", { timeout: 30_000 }, () => {
  it("tells host, number and start of this process, the same ones each time", () => {
    const named = parseProcessOwner(processOwner());
    expect(named).toMatchObject({ host: encodeURIComponent(hostname()), pid: process.pid });
    expect(processOwner()).toBe(processOwner());
    expect(JSON.parse(JSON.stringify(processOwner()))).toBe(processOwner());
  });

  it.runIf(process.platform === "linux")("knows its start by boot, namespace and ticks on Linux", () => {
    expect(parseProcessOwner(processOwner())?.start).toMatch(/^linux:[\w-]{36}:\d+:\d+$/);
  });

  it("is another name in another process", () => {
    expect(nameAfter("")).not.toBe(nameAfter(""));
  });

  it("is one name for all threads of a process", async () => {
    const code = `${script};require("node:worker_threads").parentPort.postMessage(owners.processOwner())`;
    const worker = new Worker(code, { eval: true });
    const name = await new Promise((resolve) => worker.once("message", resolve));
    expect(name).toBe(processOwner());
  });

  it("is a random name, made once, where no host can be asked", () => {
    const names = () =>
      execFileSync(process.execPath, ["-e", `${hidden};${script};${printHidden}`])
        .toString()
        .split(",");
    const [first, second] = names();
    expect(first).toMatch(/^process\/[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect(names()[0]).not.toBe(first);
  });

  it("is a random name where the modules of Node.js are not allowed", () => {
    expect(nameAfter("process.getBuiltinModule = () => { throw new Error('denied'); }")).toMatch(/^process\//);
  });

  it("tells the second of the start where Linux cannot be asked", () => {
    const before =
      "const get = process.getBuiltinModule; process.getBuiltinModule = (name) => name === 'node:fs' ? {} : get(name)";
    const start = parseProcessOwner(nameAfter(before))?.start;
    expect(start).toMatch(new RegExp(`^${process.platform}:\\d{10}$`));
  });
});

describe("readLinuxProcess", () => {
  const statOf = (text: string) => ({ readFileSync: () => text, readlinkSync: () => "" });
  const rest = Array.from({ length: 18 }, (_, index) => index).join(" ");

  it("is not misled by the name of a process", () => {
    const found = readLinuxProcess(statOf(`7 (a) Z (b) S ${rest} 4711 1 2`), "linux:boot:1", 7);
    expect(found).toEqual({ zombie: false, start: "linux:boot:1:4711" });
  });

  it("finds nothing in what it does not understand", () => {
    expect(readLinuxProcess(statOf("7 (a) S 1 2"), "linux:boot:1", 7)).toBeUndefined();
  });
});

describe("parseProcessOwner", () => {
  it.each([
    "",
    "process/0011",
    "node/host/0/x",
    "node/host/1.5/x",
    "node/host/12345678901/x",
    "node//1/x",
    "node/a/1/x/y",
  ])("does not take %j for the name of a process of Node.js", (name) =>
    expect(parseProcessOwner(name)).toBeUndefined(),
  );
});
