import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A Redis server of its own, which listens on a free port of the loopback address and keeps nothing on disk. */
export interface RedisServer {
  readonly port: number;
  /** Stops it, and removes its folder. */
  stop(): Promise<void>;
}

/** Why no Redis can be started here. */
export function whyNoRedis(): string | undefined {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "no Redis server is installed here, see apt-get install redis-server";
  }
}

export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-redis-"));
  const port = await freePort();
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
  // its policy must be noeviction, which is the default
  const server = spawn("redis-server", settings, { stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => server.kill("SIGKILL"));
  await untilReady(server);
  return {
    port,
    stop: async () => {
      if (server.exitCode === null && server.signalCode === null) {
        const exit = once(server, "exit");
        server.kill("SIGKILL");
        await exit;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function untilReady(server: ChildProcess): Promise<void> {
  let log = "";
  return new Promise((resolve, reject) => {
    server.stdout?.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-10_000);
      if (log.includes("Ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`Redis does not start:\n${log}`)));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}
