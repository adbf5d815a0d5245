import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { usePrograms } from "../programs.js";

const root = join(import.meta.dirname, "../..");
const entry = join(root, "src/mcp/index.ts");
const programOf = usePrograms(entry);

/** Runs a program in which some packages are not installed. Gives what it prints. */
async function run(missing: string, program: string): Promise<string> {
  const hook = `export async function resolve(name, context, next) {
    if (!name.startsWith("${missing}")) return next(name, context);
    throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: "ERR_MODULE_NOT_FOUND" });
  }`;
  const script = `
    import { register } from "node:module";
    const { connectMcp, MCPServer } = await import(${JSON.stringify(programOf(entry))});
    register("data:text/javascript," + ${JSON.stringify(encodeURIComponent(hook))});
    const server = new MCPServer({ name: "s", version: "1" });
    const tell = (work) => work.then(() => console.log("worked"), (error) => console.log(error.code, error.message));
    ${program}
    process.exit();`;
  const args = ["--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return stdout.trim();
}

const server = "npm install @modelcontextprotocol/server";
const client = "npm install @modelcontextprotocol/client";
const exchange =
  'req: { method: "GET", url: "/http", headers: {} }, res: { on() {}, writeHead() {}, write() {}, end() {} }';

it.each([
  ["listen", "await tell(server.listen({ port: 0 }));", server],
  ["startStdio", "await tell(server.startStdio());", server],
  ["startHTTP", `await tell(server.startHTTP({ url: "/http", ${exchange} }));`, server],
  ["startSSE", `await tell(server.startSSE({ url: "/sse", ${exchange} }));`, server],
  ["fetch", 'await tell(server.fetch(new Request("http://localhost/mcp")));', server],
  ["connectMcp", 'await tell(connectMcp({ s: { url: "http://127.0.0.1:9/mcp" } }));', client],
  ["connectMcp to a program", 'await tell(connectMcp({ s: { command: "none" } }));', client],
  [
    "connectMcp to an optional server",
    'await tell(connectMcp({ s: { url: "http://127.0.0.1:9/mcp", optional: true } }));',
    client,
  ],
])(
  "%s rejects with what to install",
  async (_what, program, install) => {
    const told = await run("@modelcontextprotocol/", program);
    expect(told).toMatch(/^PACKAGE_MISSING /);
    expect(told).toContain(install);
  },
  60_000,
);

it("a server needs no other package of MCP to listen", async () => {
  const program = "await tell(server.listen({ port: 0 }));";
  expect(await run("@modelcontextprotocol/node", program)).toBe("worked");
}, 60_000);
