import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectMcp, type McpServerConfig } from "kumiko/mcp";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { rejection } from "../../tools/node/calls.js";

const folder = mkdtempSync(join(tmpdir(), "kumiko-mcp-programs-"));
const log = join(folder, "log");
const open: (() => unknown)[] = [];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  rmSync(log, { force: true });
});

const program = (whenAsked: string, more: object = {}): McpServerConfig => ({
  command: process.execPath,
  args: [`${import.meta.dirname}/../fixtures/old-program.mjs`, log, whenAsked],
  connectTimeoutMs: 20_000,
  ...more,
});

describe("a program", () => {
  it.each<[string, object, string[]]>([
    ["answers", {}, ["start", "server/discover", "initialize", "tools/list"]],
    ["is silent", { connectTimeoutMs: 6_000 }, ["start", "server/discover", "initialize", "tools/list"]],
    ["exits", {}, ["start", "server/discover", "start", "initialize", "tools/list"]],
    ["exits", { revision: "legacy" }, ["start", "initialize", "tools/list"]],
  ])(
    "that %s when it is asked which revisions it speaks is started no more than needed: %o",
    async (whenAsked, more, lines) => {
      const connection = await connectMcp({ s: program(whenAsked, more) });
      open.push(() => connection.close());
      expect(connection.status()).toMatchObject({ s: { revision: "2025-06-18", tools: 1 } });
      expect(readFileSync(log, "utf8").trim().split("\n")).toEqual(lines);
    },
    40_000,
  );

  const ends = (script: string, more: object = {}): McpServerConfig => ({
    command: process.execPath,
    args: ["--eval", script],
    connectTimeoutMs: 20_000,
    ...more,
  });
  const missing = 'console.error("DATABASE_URL is missing"); process.exit(3);';

  it.each<[string, McpServerConfig, RegExp]>([
    ["with its exit code", ends(missing, { stderr: "ignore" }), /exited with code 3\. Set stderr: "pipe"/],
    ["with what it printed", ends(missing, { stderr: "pipe" }), /exited with code 3\..*DATABASE_URL is missing/],
    ["with its signal", ends('process.kill(process.pid, "SIGKILL")', { stderr: "pipe" }), /ended by SIGKILL.*nothing/],
    ["that is not there", { command: "/no/such/program" }, /could not be reached\. Check its command.*ENOENT/],
  ])(
    "that ends at its start fails to connect, %s",
    async (_how, config, message) => {
      const error = await rejection(connectMcp({ s: config }));
      expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", message: expect.stringMatching(message) });
    },
    40_000,
  );

  it("that ends during a call says how", async () => {
    const connection = await connectMcp(
      {
        s: program("answers", { args: [`${import.meta.dirname}/../fixtures/old-program.mjs`, log, "answers", "ends"] }),
      },
      { reconnect: false },
    );
    open.push(() => connection.close());
    const error = await rejection(Promise.resolve(connection.tools()[0]?.execute({}, {} as never)));
    expect(error).toMatchObject({ code: "MCP_DISCONNECTED", message: expect.stringContaining("exited with code 5") });
    expect(connection.status()).toMatchObject({ s: { error: { message: expect.stringContaining("code 5") } } });
  }, 40_000);

  it("that exits is not asked again for a revision that it was pinned to", async () => {
    const error = await rejection(connectMcp({ s: program("exits", { revision: { pin: "2026-07-28" } }) }));
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED" });
    expect(readFileSync(log, "utf8")).toBe("start\nserver/discover\n");
  }, 40_000);
});
