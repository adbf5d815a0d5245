import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-mastra-crash-"));
const script = join(folder, "worker.mjs");
const drivers = /^(libsql|pg)$/;

beforeAll(async () => {
  await build({
    ...{ entryPoints: [join(import.meta.dirname, "worker.ts")], outfile: script, bundle: true },
    ...{ format: "esm", platform: "node", target: "node20" },
    plugins: [
      {
        name: "drivers",
        setup: ({ onResolve }) =>
          onResolve({ filter: drivers }, ({ path }) => ({ path: import.meta.resolve(path), external: true })),
      },
    ],
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Processes that share a store and a log. */
function processes(name: string) {
  const log = join(folder, `${name}.log`);
  return {
    lines: () => readFileSync(log, "utf8").trim().split("\n"),
    run: async (command: string) => {
      const args = [script, join(folder, `${name}.db`), log, command];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      let said = "";
      child.stdout.on("data", (chunk) => {
        said += chunk;
      });
      const [, signal] = await once(child, "close");
      return { killed: signal === "SIGKILL", ...(said !== "" && JSON.parse(said)) };
    },
  };
}

describe("a workflow in SQLite whose process is killed", { timeout: 60_000 }, () => {
  const value = { inputData: ["did a", "did b", "did c"], resumeData: "yes" };

  it("goes on while it waits, in another process", async () => {
    const { run, lines } = processes("waiting");
    expect(await run("plain")).toEqual({ killed: true, status: "suspended" });
    expect(await run("resume")).toEqual({ killed: false, status: "success", value });
    expect(lines()).toEqual(["prepare", "item a", "item b", "item c", "approve", "approve"]);
  });

  it("goes on when that happens as it is resumed, and nothing that has ended runs again", async () => {
    const { run, lines } = processes("resuming");
    expect(await run("plain")).toEqual({ killed: true, status: "suspended" });
    expect(await run("die")).toEqual({ killed: true });
    expect(await run("restart")).toEqual({ killed: false, status: "success", value });
    expect(lines()).toEqual(["prepare", "item a", "item b", "item c", ...Array(3).fill("approve")]);
  });

  it("goes on in the middle of a list", async () => {
    const { run, lines } = processes("list");
    expect(await run("start")).toEqual({ killed: true });
    expect(await run("restart")).toEqual({ killed: false, status: "suspended" });
    expect(await run("resume")).toEqual({ killed: false, status: "success", value });
    expect(lines()).toEqual(["prepare", "item a", "item b", "item c", "item c", "approve", "approve"]);
  });
});
