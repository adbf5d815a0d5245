// examples/deploy/workers in workerd, the runtime of Cloudflare Workers, with a server in the place of OpenAI's.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { installRuntimes, runtimePath } from "../../portability/runtimes.js";
import { post, promptOf, readUntil, said, textIn } from "./chat-client.js";
import { OpenAiServer } from "./openai-server.js";

const root = join(import.meta.dirname, "../../..");
const workerd = runtimePath("@cloudflare/workerd-linux-64/bin/workerd");
const notInstalled = installRuntimes();
const missing = existsSync(workerd) ? "" : ` (skipped: ${notInstalled ?? "npm has no workerd for this platform"})`;
const openai = new OpenAiServer();
const wrangler = parse(
  readFileSync(join(root, "examples/deploy/workers/wrangler.jsonc"), "utf8").replace(/^\s*\/\/.*$/gm, ""),
);

describe.skipIf(missing !== "")(`the worker of examples/deploy${missing}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-workerd-"));
  let openaiUrl: string;
  let running: ChildProcess | undefined;

  beforeAll(async () => {
    openaiUrl = await openai.start();
    mkdirSync(join(folder, "data"));
    // as wrangler builds it
    await build({
      absWorkingDir: root,
      entryPoints: [join(import.meta.dirname, "conformance-worker.ts")],
      outfile: join(folder, "worker.mjs"),
      bundle: true,
      format: "esm",
      target: "es2022",
      conditions: ["workerd", "worker", "browser"],
      tsconfig: join(root, "tsconfig.json"),
      logLevel: "error",
    });
  }, 60_000);
  afterAll(() => {
    running?.kill("SIGKILL");
    openai.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Starts workerd with what wrangler.jsonc says, and an object for the checks. */
  async function start(): Promise<{ readonly url: string; readonly checks: string }> {
    running?.kill("SIGKILL");
    const [port, checksPort] = [await freePort(), await freePort()];
    const [{ name: binding, class_name: chat }] = wrangler.durable_objects.bindings;
    expect(wrangler.migrations).toEqual([{ tag: "v1", new_sqlite_classes: [chat] }]);
    writeFileSync(
      join(folder, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .chats),
    (name = "data", disk = (path = "${folder}/data", writable = true)),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [
    (name = "http", address = "127.0.0.1:${port}", http = (), service = "main"),
    (name = "checks", address = "127.0.0.1:${checksPort}", http = (), service = (name = "main", entrypoint = "checks")),
  ],
);
const chats :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "${wrangler.compatibility_date}",
  globalOutbound = "internet",
  durableObjectNamespaces = [
    (className = "${chat}", uniqueKey = "chat", enableSql = true),
    (className = "Checks", uniqueKey = "checks", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "data"),
  bindings = [
    (name = "${binding}", durableObjectNamespace = "${chat}"),
    (name = "CHECKS", durableObjectNamespace = "Checks"),
    (name = "OPENAI_API_KEY", text = "test"),
    (name = "OPENAI_BASE_URL", text = "${openaiUrl}"),
  ],
);
`,
    );
    running = spawn(workerd, ["serve", "--experimental", "config.capnp"], {
      cwd: folder,
      stdio: ["ignore", "inherit", "inherit"],
    });
    const url = `http://127.0.0.1:${port}`;
    await expect
      .poll(() =>
        fetch(url).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(404);
    return { url, checks: `http://127.0.0.1:${checksPort}` };
  }

  it("answers, goes on after it was killed, and has a store that passes all checks", async () => {
    const first = await start();
    const checked = await (await fetch(first.checks)).json();
    expect(checked).toMatchObject({ failures: [] });
    expect(checked.count).toBeGreaterThan(40);

    const answer = fetch(`${first.url}/chat`, post(promptOf("c1", "Where is order 7?")));
    const call = await openai.called();
    expect(call.asked.at(-1)).toBe("Where is order 7?");
    call.end("On its way.");
    expect(textIn(await (await answer).text())).toBe("On its way.");

    const cut = fetch(`${first.url}/chat`, post(promptOf("c1", "And order 8?")));
    (await openai.called()).write("It is ");
    await readUntil(readerOf(await cut), "It is ");
    running?.kill("SIGKILL");

    const { url } = await start();
    const talk = ["user: Where is order 7?", "assistant: On its way.", "user: And order 8?"];
    expect(said(await (await fetch(`${url}/chat/c1`)).json()).slice(0, 3)).toEqual(talk);
    const again = fetch(`${url}/chat`, post(promptOf("c1", "And order 8?")));
    (await openai.called()).end("It is lost.");
    expect(textIn(await (await again).text())).toContain("It is lost.");
    expect(said(await (await fetch(`${url}/chat/c1`)).json())).toEqual([...talk, "assistant: It is lost."]);
    expect(await (await fetch(`${url}/chat/c2`)).json()).toEqual([]);
  });

  it("goes on with an answer that nobody reads", async () => {
    const { url } = await start();
    const leaving = new AbortController();
    const response = fetch(`${url}/chat`, { ...post(promptOf("c3", "Hello")), signal: leaving.signal });
    const call = await openai.called();
    call.write("Good ");
    await readUntil(readerOf(await response), "Good ");
    leaving.abort();
    call.end("evening.");
    const talk = ["user: Hello", "assistant: Good evening."];
    await expect.poll(async () => said(await (await fetch(`${url}/chat/c3`)).json())).toEqual(talk);
  });
});

function readerOf({ body }: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (body === null) throw new Error("There is no body.");
  return body.getReader();
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
