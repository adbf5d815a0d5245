import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe } from "vitest";

/** A PostgreSQL server of its own in a temporary folder, which listens on a free port of the loopback address. */
export interface PostgresServer {
  readonly port: number;
  /** How to reach a database; without a name the one that every server has. */
  url(database?: string): string;
  /** Ends it in a moment, as a crash would: nothing is written any more. */
  crash(): Promise<void>;
  /** Starts it again where it was. */
  restart(): Promise<void>;
  /** Stops it, and removes its folder. */
  stop(): Promise<void>;
}

export const superuser = "kumiko";
export const password = "correct-horse/battery";

/** For what happens in a moment on a machine that has nothing else to do. */
export const patience = { timeout: 20_000 };
export const hookTimeout = 60_000;

/** Like `describe`; where no PostgreSQL can be started its tests are skipped, and the name says why. */
export function describeWithPostgres(name: string, tests: () => void): void {
  const missing = whyNot();
  if (missing === undefined) describe(name, { timeout: 60_000 }, tests);
  else describe.skip(`${name} (skipped: ${missing})`, tests);
}

/** Connections of the tests' own. */
export function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options);
  // the server crashed, or was stopped before it had read that the connection ends
  pool.on("error", () => undefined);
  return pool;
}

export const openAdmin = (server: PostgresServer): pg.Pool => openPool({ connectionString: server.url(), max: 1 });

/** With the programs in a folder. @default those that are installed */
export async function startServer(programs: string = programFolder() ?? ""): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-postgres-"));
  const owner = runsAs();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")];
  writeFileSync(passwordFile, password);
  const access = ["-U", superuser, "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
  execFileSync(join(programs, "initdb"), ["-D", data, "-E", "UTF8", "--locale=C", "--no-sync", ...access], {
    ...owner,
    cwd: folder,
    stdio: "pipe",
  });
  const port = await freePort();
  let server = await launch(programs, data, port);
  return {
    port,
    url: (database = "postgres") =>
      `postgres://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    crash: () => end(server, "SIGQUIT"),
    restart: async () => {
      server = await launch(programs, data, port);
    },
    stop: async () => {
      await end(server, "SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Why no server can be started here. */
export function whyNot(): string | undefined {
  if (programFolder() === undefined) return "no PostgreSQL server is installed here, see apt-get install postgresql";
  if (isRoot() && runsAs() === undefined) return "PostgreSQL does not run as root, and there is no user postgres";
  return undefined;
}

/** Where `initdb` and `postgres` are; Debian keeps them out of the PATH. */
export function programFolder(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...(process.env.PATH ?? "").split(":")];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))));
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** Whom the server runs as, when it cannot be whoever runs the tests. */
function runsAs(): Account | undefined {
  if (!isRoot()) return undefined;
  const line = readFileSync("/etc/passwd", "utf8").match(/^postgres:[^:]*:(\d+):(\d+):/m);
  return line === null ? undefined : { uid: Number(line[1]), gid: Number(line[2]) };
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

async function launch(programs: string, data: string, port: number): Promise<ChildProcess> {
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=on", "synchronous_commit=on"];
  const server = spawn(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), ...settings.flatMap((text) => ["-c", text])],
    {
      ...runsAs(),
      cwd: data,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const stopWithUs = (): boolean => server.kill("SIGQUIT");
  process.once("exit", stopWithUs);
  server.once("exit", () => process.off("exit", stopWithUs));
  let log = "";
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-10_000);
      if (log.includes("ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`PostgreSQL does not start:\n${log}`)));
  });
  return server;
}

async function end(server: ChildProcess, signal: "SIGQUIT" | "SIGINT"): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, "exit");
  server.kill(signal);
  await exit;
}
