import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTool } from "kumiko";
import { MCPServer } from "kumiko/mcp";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { usePrograms } from "../../programs.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const askedClient = join(import.meta.dirname, "../fixtures/asked-client.ts");
const programOf = usePrograms(askedClient);

function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [programOf(askedClient), ...args], { stdio: ["ignore", "pipe", "inherit"] });
  open.push(() => child.kill("SIGKILL"));
  return child;
}

async function lineOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("Its output is not piped.");
  const [data] = await once(child.stdout, "data");
  return String(data).trim();
}

it("what a server does happens once although the client is killed between the question and the answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-mcp-client-"));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  const done: string[] = [];
  const order = createTool({
    id: "order",
    description: "Orders an item.",
    inputSchema: z.object({ item: z.string() }),
    execute: async ({ item }, ctx) => {
      await ctx.once("reserve", () => done.push(`${item} reserved`));
      const { name } = await ctx.ask("who", `Who gets the ${item}?`, z.object({ name: z.string() }));
      done.push(`${item} for ${name}`);
      return `${item} for ${name}`;
    },
  });
  const server = new MCPServer({ name: "shop", version: "1.0.0", tools: [order] });
  open.push(() => server.close());
  const { url } = await server.listen({ port: 0 });
  const database = join(folder, "runs.db");

  const first = start(url, database);
  const question = await lineOf(first);
  first.kill("SIGKILL");
  await once(first, "exit");
  expect(await lineOf(start(url, database, question, "Ada"))).toBe("tea for Ada");
  expect(done).toEqual(["tea reserved", "tea for Ada"]);
}, 60_000);
