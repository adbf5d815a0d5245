import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";

const page = '<!doctype html><title>kumiko</title><script type="module" src="/page.mjs"></script>';
const policy = "default-src 'none'; script-src 'self'; connect-src 'self'";
const options = [
  ...["--headless", "--no-first-run", "--disable-gpu", "--disable-extensions", "--disable-background-networking"],
  // a container has neither a user whom the sandbox accepts nor much shared memory, and the page is ours
  ...["--no-sandbox", "--disable-dev-shm-usage"],
];

/** A Chromium of this machine, if there is one. */
export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

/**
 * Opens a page under `script-src 'self'` that loads `page.mjs` of a folder, and gives what it posts. The page is served on
 * loopback; the browser keeps its profile in `profile`, and has ended when this settles.
 */
export async function openPage(browser: string, folder: string, profile: string): Promise<unknown> {
  const server = createServer();
  const posted = serve(server, folder);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const child = spawn(browser, [...options, `--user-data-dir=${profile}`, `http://127.0.0.1:${port}/`]);
  const ended = outputOf(child);
  const timer = setTimeout(() => child.kill(), 45_000);
  try {
    const failed = ended.then((output) => Promise.reject(new Error(`The page posted nothing:\n${output}`)));
    return await Promise.race([posted, failed]);
  } finally {
    clearTimeout(timer);
    child.kill();
    await ended.catch(() => undefined);
    server.closeAllConnections();
    server.close();
  }
}

/** Answers with the page and its scripts; gives what is posted. */
function serve(server: Server, folder: string): Promise<unknown> {
  return new Promise((resolve) => {
    server.on("request", async (request: IncomingMessage, response: ServerResponse) => {
      const path = join(folder, request.url ?? "");
      if (request.method === "POST") resolve(await json(request));
      if (request.url === "/") {
        response.writeHead(200, { "content-type": "text/html", "content-security-policy": policy }).end(page);
      } else if (request.method === "GET" && existsSync(path)) {
        response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(path));
      } else {
        response.writeHead(404).end();
      }
    });
  });
}

/** What a process has said, once it has ended; rejects when it could not be started. */
function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stdout.resume();
    child.once("error", reject).once("close", () => resolve(output));
  });
}
