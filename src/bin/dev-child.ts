import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { readTrace } from "../callbacks/read-trace.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { KumikoError, messageOf } from "../errors.js";
import { ViewerServer } from "../viewer/server/viewer-server.js";
import { type App, checkViewerOptions, type DevParts } from "../viewer/viewer-options.js";
import { type DevOptions, isPostgres, isTrace } from "./dev-options.js";

/** What the parent gives this process, in which the user's code runs. */
export type ChildOptions = Pick<DevOptions, "file" | "can" | "prices" | "store">;

/** Loads the file and serves the viewer of its apps to the parent only, who knows the secret. */
async function serve({ file, can, prices, store: address }: ChildOptions, secret: string): Promise<void> {
  const store = address === undefined ? undefined : await openStore(address);
  const user = process.env.USER ?? process.env.USERNAME;
  const access = { can, ...(user === undefined ? {} : { user }) };
  const priced = prices === undefined ? {} : { prices: JSON.parse(readFileSync(prices, "utf8")) };
  const isRecorded = file !== undefined && isTrace(file);
  const recorded = isRecorded ? traceIn(file) : {};
  const options = {
    apps: file === undefined || isRecorded ? {} : await appsIn(file),
    ...(file === undefined && store !== undefined && { stores: { store } }),
    ...priced,
    authorize: () => access,
  };
  checkViewerOptions(options);
  const session = file === undefined ? undefined : store;
  const shown = new ViewerServer(options, { ...recorded, session, takesSpans: !isRecorded });
  const server = createServer((request, response) => {
    if (request.headers["x-kumiko-secret"] === secret) void answer(request, response, shown);
    else response.writeHead(403).end();
  });
  server.listen(0, "127.0.0.1", () => {
    const at = server.address();
    if (typeof at === "object" && at !== null) process.send?.({ port: at.port });
  });
  process.on("message", (message) => {
    if (message === "ping") process.send?.({ openRuns: shown.openRuns });
    if (message === "stop") void shown.close().then(() => process.exit());
  });
}

/** The trace in a file, or what is wrong with the file: the page shows that, too. */
function traceIn(file: string): Pick<DevParts, "traces" | "unreadable"> {
  try {
    return { traces: [readTrace(JSON.parse(readFileSync(file, "utf8")))] };
  } catch (error) {
    const what = error instanceof SyntaxError ? `It is not JSON: ${error.message}` : messageOf(error);
    const told = new KumikoError("INVALID_TRACE", `${file} cannot be read. ${what}`);
    const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    return { unreadable: [{ name: basename(file), since, error: told }] };
  }
}

async function openStore(address: string): Promise<CheckpointStore> {
  if (!isPostgres(address)) return (await import("../stores/sqlite/sqlite-store.js")).sqliteStore(address);
  const { postgresStore } = await import("../stores/postgres/postgres-store.js");
  return postgresStore({ connectionString: address });
}

async function appsIn(file: string): Promise<Record<string, App>> {
  loadEnvFile(file);
  const exported: Record<string, unknown> = await import(pathToFileURL(resolve(file)).href);
  const apps = appsOf(exported);
  if (Object.keys(apps).length > 0) return apps;
  const names = Object.keys(exported).join(", ") || "nothing";
  throw new Error(`${file} exports no graph, chain, workflow or agent. It exports ${names}.`);
}

/** Exports that are compiled, agents, or builders, which are compiled here. */
function appsOf(exported: Readonly<Record<string, unknown>>): Record<string, App> {
  const apps: Record<string, App> = {};
  for (const [name, value] of Object.entries(exported)) {
    if (typeof value !== "object" || value === null) continue;
    const isCompiled = "graphInfo" in value && "invoke" in value;
    const isAgent = "describe" in value && "generate" in value;
    if (isCompiled || isAgent) apps[name] = value as App;
    else if ("compile" in value && typeof value.compile === "function") apps[name] = value.compile({ name });
  }
  return apps;
}

/** `.env` beside the nearest package.json. */
function loadEnvFile(file: string): void {
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) {
      const path = join(folder, ".env");
      if (existsSync(path)) process.loadEnvFile(path);
      return;
    }
    if (folder === dirname(folder)) return;
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, shown: ViewerServer): Promise<void> {
  const { "x-kumiko-secret": _secret, ...given } = request.headers;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value));
  const hasBody = request.method !== "GET" && request.method !== "HEAD";
  const body = hasBody ? { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" } : {};
  const url = `http://${headers.get("host") ?? "localhost"}${request.url ?? "/"}`;
  try {
    const result = await shown.fetch(new Request(url, { method: request.method ?? "GET", headers, ...body }));
    response.writeHead(result.status, Object.fromEntries(result.headers));
    response.flushHeaders();
    const reader = result.body?.getReader();
    response.on("close", () => void reader?.cancel().catch(() => undefined));
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      // a page that reads nothing holds back only its own stream
      if (!response.write(read.value))
        await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
      if (response.destroyed) return;
    }
    response.end();
  } catch {
    if (!response.headersSent) response.writeHead(500);
    response.end();
  }
}

// Ctrl C is told to the parent too, who says when to end
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit());
const [options = "{}"] = process.argv.slice(2);
await serve(JSON.parse(options), process.env.KUMIKO_CHILD_SECRET ?? "");
