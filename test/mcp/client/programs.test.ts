import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { connectMcp } from "../../../src/mcp/client/connect-mcp.js";
import type { McpServerConfig } from "../../../src/mcp/client/options.js";
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

  it("that exits is not asked again for a revision that it was pinned to", async () => {
    const error = await rejection(connectMcp({ s: program("exits", { revision: { pin: "2026-07-28" } }) }));
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED" });
    expect(readFileSync(log, "utf8")).toBe("start\nserver/discover\n");
  }, 40_000);
});
