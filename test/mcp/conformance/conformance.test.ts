import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgenticToolsNode } from "kumiko";
import { connectMcp } from "kumiko/mcp";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { call, calls, textsOf } from "../../tools/node/calls.js";
import { bundle, installSuite, run, type Suite, startSubject } from "./suite.js";

const installed = await installSuite();
const name = "the official conformance suite";
const failures = join(import.meta.dirname, "expected-failures.yaml");
const revisions = ["2026-07-28", "2025-11-25"];

if ("missing" in installed) {
  describe.skip(`${name} (skipped: ${installed.missing})`, () => it("cannot be had here", () => undefined));
} else {
  describe.each([...new Set([process.execPath, installed.node22])])(`${name}, with the subject on %s`, (node) => {
    judge(installed, node);
  });
  useReferenceServers(installed);
}

function judge({ node22, referee }: Suite, node: string): void {
  let fixtures: Record<"server" | "client", string>;
  beforeAll(async () => {
    fixtures = { server: await bundle("everything-server.ts"), client: await bundle("everything-client.ts") };
  }, 60_000);

  it.each(revisions)(
    "finds that MCPServer does what %s requires",
    async (revision) => {
      const { child, printed } = await startSubject(node, fixtures.server);
      const url = printed.replace("127.0.0.1", "localhost");
      try {
        const options = ["--url", url, "--requirements", revision, "--timeout", "120000"];
        const { code, output } = await run(node22, [referee, "server", ...options]);
        expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
      } finally {
        child.kill();
      }
    },
    600_000,
  );

  it.each(revisions)(
    "finds that connectMcp does what %s requires",
    async (revision) => {
      // its packages warn of what the suite has them do
      const { child, printed: port } = await startSubject(node, fixtures.client, "ignore");
      onTestFinished(() => void child.kill());
      const command = `${node22} ${join(import.meta.dirname, "../fixtures/play-scenario.mjs")} ${port}`;
      const options = ["--requirements", revision, "--expected-failures", failures, "--timeout", "120000"];
      const { code, output } = await run(node22, [referee, "client", "--command", command, ...options]);
      // all scenarios run at once, and on a busy machine some run out of time: those are judged again, one by one
      const again = code === 0 ? [] : unexpectedFailures(output);
      expect(code === 0 || again.length > 0 ? "" : output).toBe("");
      for (const scenario of again) {
        const alone = ["--scenario", scenario, "--spec-version", revision, "--timeout", "120000"];
        const { code, output } = await run(node22, [referee, "client", "--command", command, ...alone]);
        expect({ scenario, code, output: code === 0 ? "" : output }).toEqual({ scenario, code: 0, output: "" });
      }
    },
    600_000,
  );
}

/** The scenarios that the report lists as failed and not expected to. */
function unexpectedFailures(output: string): string[] {
  const [, list = ""] = output.split("Unexpected failures (not in baseline):");
  return [...list.matchAll(/^\s+✗ (\S+)$/gm)].map(([, scenario = ""]) => scenario);
}

function useReferenceServers({ servers }: Suite): void {
  describe("the reference servers", () => {
    const folder = mkdtempSync(join(tmpdir(), "kumiko-mcp-files-"));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it("can be used: everything", async () => {
      const args = [servers.everything, "stdio"];
      const connection = await connectMcp({
        all: { command: process.execPath, args, stderr: "ignore", connectTimeoutMs: 40_000 },
      });
      try {
        expect(connection.tools().length).toBeGreaterThan(5);
        const node = new AgenticToolsNode({ tools: connection.tools() });
        const results = await node.invoke(
          calls(call("all_echo", { message: "hi" }), call("all_get-sum", { a: 2, b: 3 })),
        );
        expect(textsOf(results)).toEqual(["Echo: hi", expect.stringContaining("5")]);
        expect((await connection.resources("all")).length).toBeGreaterThan(0);
        expect((await connection.prompts("all")).length).toBeGreaterThan(0);
      } finally {
        await connection.close();
      }
    }, 120_000);

    it("can be used: filesystem", async () => {
      writeFileSync(join(folder, "note.txt"), "a note");
      const args = [servers.filesystem, folder];
      const connection = await connectMcp({
        files: { command: process.execPath, args, stderr: "ignore", connectTimeoutMs: 40_000 },
      });
      try {
        const node = new AgenticToolsNode({ tools: connection.tools() });
        const [text] = textsOf(
          await node.invoke(calls(call("files_read_text_file", { path: join(folder, "note.txt") }))),
        );
        expect(text).toContain("a note");
      } finally {
        await connection.close();
      }
    }, 120_000);
  });
}
