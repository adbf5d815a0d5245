import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { viewer } from "../viewer/viewer.js";
import type { App } from "../viewer/viewer-options.js";

/** What the parent gives this process, in which the user's code runs. */
export interface ChildOptions {
  readonly file: string;
  readonly can: "look" | "answer" | "act";
  readonly prices: string | undefined;
}

/** Loads the file and serves the viewer of its apps to the parent only, who knows the secret. */
async function serve({ file, can, prices }: ChildOptions, secret: string): Promise<void> {
  loadEnvFile(file);
  const exported: Record<string, unknown> = await import(pathToFileURL(resolve(file)).href);
  const apps = appsOf(exported);
  if (Object.keys(apps).length === 0) {
    const names = Object.keys(exported).join(", ") || "nothing";
    throw new Error(`${file} exports no graph, chain, workflow or agent. It exports ${names}.`);
  }
  const user = process.env.USER ?? process.env.USERNAME;
  const access = { can, ...(user === undefined ? {} : { user }) };
  const given = prices === undefined ? {} : { prices: JSON.parse(readFileSync(prices, "utf8")) };
  const shown = viewer({ apps, ...given, authorize: () => access });
  const server = createServer((request, response) => {
    if (request.headers["x-kumiko-secret"] !== secret) {
      response.writeHead(403).end();
      return;
    }
    void answer(request, response, shown.fetch);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address !== null)
      process.send?.({ port: address.port, apps: Object.keys(apps) });
  });
  process.on("message", (message) => {
    if (message === "ping") process.send?.("pong");
  });
  process.on("disconnect", () => process.exit());
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

type Fetch = (request: Request) => Promise<Response>;

async function answer(request: IncomingMessage, response: ServerResponse, fetch: Fetch): Promise<void> {
  const stop = new AbortController();
  response.on("close", () => stop.abort());
  const { "x-kumiko-secret": _secret, ...given } = request.headers;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value));
  const hasBody = request.method !== "GET" && request.method !== "HEAD";
  const body = hasBody ? { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" } : {};
  const url = `http://${headers.get("host") ?? "localhost"}${request.url ?? "/"}`;
  const init = { method: request.method ?? "GET", headers, signal: stop.signal, ...body };
  try {
    const result = await fetch(new Request(url, init));
    response.writeHead(result.status, Object.fromEntries(result.headers));
    if (result.body !== null) for await (const piece of result.body) response.write(piece);
    response.end();
  } catch {
    if (!response.headersSent) response.writeHead(500);
    response.end();
  }
}

const [options = "{}"] = process.argv.slice(2);
await serve(JSON.parse(options), process.env.KUMIKO_CHILD_SECRET ?? "");
