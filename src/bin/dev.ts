import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { AppProcess } from "./app-process.js";
import { type DevOptions, readDevOptions } from "./dev-options.js";
import { DevServer } from "./dev-server.js";

/** Shows the apps of a file in the browser. Returns when it could not start; otherwise it runs until it is interrupted. */
export async function dev(args: readonly string[]): Promise<number> {
  let options: DevOptions;
  try {
    options = readDevOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  const { file, can, prices, store } = options;
  const loader = findLoader(file ?? "");
  if (loader === undefined) {
    process.stderr.write(
      `PACKAGE_MISSING: ${file} is TypeScript. Install tsx (npm install --save-dev tsx), or use Node.js 22.18 or newer.\n`,
    );
    return 1;
  }
  const app = new AppProcess({ file, can, prices, store }, loader);
  const token = options.token ?? randomBytes(24).toString("base64url");
  const port = await listen(new DevServer({ app, token, options }).serve, options);
  const { host = "127.0.0.1" } = options;
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}/#${token}`;
  const isOther = port !== options.port && options.port !== 0;
  process.stdout.write(`${isOther ? `Port ${options.port} is taken. ` : ""}${address}\n`);
  app.start();
  if (options.isOpened) openBrowser(address);
  process.on("exit", () => app.kill());
  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      void app.stop().then(() => process.exit(signal === "SIGINT" ? 130 : 0));
    });
  }
  return new Promise(() => undefined);
}

/** How Node.js is told to load the file: nothing for JavaScript, or where it knows TypeScript. */
function findLoader(file: string): readonly string[] | undefined {
  if (!/\.[cm]?tsx?$/.test(file)) return [];
  try {
    const tsx = createRequire(resolve(file)).resolve("tsx");
    return ["--import", pathToFileURL(tsx).href];
  } catch {
    const features: object = process.features;
    return "typescript" in features && features.typescript ? [] : undefined;
  }
}

/** The next free port, if the one that is wanted is taken. Without a host: that of both loopback addresses. */
async function listen(serve: RequestListener, { port, host }: DevOptions): Promise<number> {
  const hosts = host === undefined ? ["127.0.0.1", "::1"] : [host];
  for (let next = port; next < port + 100; next += port === 0 ? 0 : 1) {
    const found = await listenAt(serve, hosts, next);
    if (found !== undefined) return found;
  }
  throw new Error(`No port from ${port} to ${port + 99} is free.`);
}

/** `undefined` if the port is taken at one of the hosts. */
async function listenAt(serve: RequestListener, hosts: readonly string[], port: number): Promise<number | undefined> {
  const open: ReturnType<typeof createServer>[] = [];
  let found = port;
  for (const host of hosts) {
    const server = createServer(serve);
    const code = await new Promise<string | undefined>((done) => {
      server.once("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
      server.listen(found, host, () => done(undefined));
    });
    if (code === undefined) {
      open.push(server);
      const address = server.address();
      if (typeof address === "object" && address !== null) found = address.port;
    } else if (code === "EADDRINUSE") {
      for (const other of open) other.close();
      return undefined;
    } else if (open.length === 0) throw new Error(`Nothing can listen at ${host}:${port} (${code}).`);
    // without IPv6 there is one address
  }
  return found;
}

function openBrowser(address: string): void {
  const commands: Readonly<Record<string, readonly string[]>> = {
    darwin: ["open", address],
    win32: ["cmd", "/c", "start", "", address],
  };
  const [command = "xdg-open", ...args] = commands[process.platform] ?? ["xdg-open", address];
  // without a desktop there is none, and the address is printed
  spawn(command, args, { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}
