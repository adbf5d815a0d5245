import { spawn } from "node:child_process";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { AppProcess } from "./app-process.js";
import { type DevOptions, isLoopback, readDevOptions } from "./dev-options.js";

/** Shows the apps of a file in the browser. Returns when it could not start; otherwise it runs until it is interrupted. */
export async function dev(args: readonly string[]): Promise<number> {
  let options: DevOptions;
  try {
    options = readDevOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  const loader = findLoader(options.file);
  if (loader === undefined) {
    process.stderr.write(
      `PACKAGE_MISSING: ${options.file} is TypeScript. Install tsx (npm install --save-dev tsx), or use Node.js 22.18 or newer.\n`,
    );
    return 1;
  }
  const { file, can, prices } = options;
  const app = new AppProcess({ file, can, prices }, loader);
  const token = options.token ?? randomBytes(24).toString("base64url");
  const server = createServer((request, response) => serve(request, response, { app, token, host: options.host }));
  const port = await listen(server, options);
  const address = `http://${options.host ?? "127.0.0.1"}:${port}/#${token}`;
  process.stdout.write(
    `${port === options.port || options.port === 0 ? "" : `Port ${options.port} is taken. `}${address}\n`,
  );
  app.start();
  if (options.isOpened) openBrowser(address);
  let isStopping = false;
  process.on("SIGINT", () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    void app.stop().then(() => process.exit(130));
  });
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

/** The next free port, if the one that is wanted is taken. */
async function listen(server: ReturnType<typeof createServer>, { port, host }: DevOptions): Promise<number> {
  for (let next = port; ; next++) {
    const found = await new Promise<number | undefined>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        if (error.code === "EADDRINUSE" && port !== 0 && next < port + 100) resolve(undefined);
        else reject(error);
      };
      server.once("error", failed);
      server.listen(next, host ?? "127.0.0.1", () => {
        server.off("error", failed);
        const address = server.address();
        resolve(typeof address === "object" ? address?.port : undefined);
      });
    });
    if (found !== undefined) return found;
  }
}

interface Serving {
  readonly app: AppProcess;
  readonly token: string;
  readonly host: string | undefined;
}

/** The page and its assets need no token, because they hold no data; all else is passed on to the process of the app. */
function serve(request: IncomingMessage, response: ServerResponse, { app, token, host }: Serving): void {
  const name = (request.headers.host ?? "").replace(/:\d+$/, "");
  // another name that leads here is an attack from a page elsewhere
  if (!isLoopback(name) && name !== host) {
    fail(response, 403, "HOST_REFUSED", `The host "${name}" is not served.`);
    return;
  }
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  if (path.startsWith("/api/") && !hasToken(request, token)) {
    fail(response, 401, "UNAUTHORIZED", "The token is missing or wrong. Open the address that kumiko dev has printed.");
    return;
  }
  if (app.port === undefined) {
    fail(response, 503, "APP_ENDED", app.problem ?? "The app is starting.");
    return;
  }
  const headers = { ...request.headers, "x-kumiko-secret": app.secret };
  const inner = httpRequest({ port: app.port, host: "127.0.0.1", path: request.url, method: request.method, headers });
  inner.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  inner.on("error", () => fail(response, 502, "APP_ENDED", app.problem ?? "The app does not answer."));
  response.on("close", () => inner.destroy());
  request.pipe(inner);
}

function hasToken(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(/^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1] ?? "");
  const own = Buffer.from(token);
  return given.length === own.length && timingSafeEqual(given, own);
}

function fail(response: ServerResponse, status: number, code: string, message: string): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ error: { code, message } }));
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
