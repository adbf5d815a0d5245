import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { memoryStore } from "kumiko";
import type { AgentEvent } from "kumiko/agents";
import { eventLog, sse, uiMessageStream } from "kumiko/ui";
import { afterEach, describe, expect, it } from "vitest";
import { numbered, weatherRun } from "./hand-made.js";

const connections = 100;

/** Runs that tell their events one turn after another, and count how many of them are under way. */
class Runs {
  open = 0;
  ended = 0;
  left = 0;

  async *start(): AsyncGenerator<AgentEvent, void> {
    this.open += 1;
    let isWhole = false;
    try {
      for (const event of numbered(weatherRun)) {
        await new Promise(setImmediate);
        yield event;
      }
      isWhole = true;
    } finally {
      this.open -= 1;
      if (isWhole) this.ended += 1;
      else this.left += 1;
    }
  }
}

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

type Serve = (request: Request) => Response | Promise<Response>;

/** As a program on node:http would do it. */
function plain(serve: Serve): Server {
  return createServer(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const answer = await serve(new Request(`http://localhost${request.url}`, { headers }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    const body = Readable.fromWeb(answer.body as never);
    response.on("close", () => body.destroy());
    body.on("error", () => response.destroy());
    body.pipe(response);
  });
}

function hono(serve: Serve): Server {
  const app = new Hono();
  app.get("*", (context) => serve(context.req.raw));
  return createServer(getRequestListener(app.fetch));
}

async function listen(made: Server): Promise<string> {
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

function open(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers }, resolve).on("error", reject);
  });
}

async function readAll(url: string, headers?: Record<string, string>): Promise<string> {
  let text = "";
  for await (const chunk of await open(url, headers)) text += String(chunk);
  return text;
}

/** Reads the first piece, and hangs up. */
async function readAndLeave(url: string): Promise<void> {
  const response = await open(url);
  await new Promise((resolve) => response.once("data", resolve));
  response.destroy();
}

const socketsOf = (of: Server | undefined): Promise<number> =>
  new Promise((resolve, reject) => of?.getConnections((error, count) => (error ? reject(error) : resolve(count))));

describe.each([
  ["node:http", plain],
  ["Hono", hono],
])("a server on %s", (_name, make) => {
  it("serves a hundred connections, aborts the runs of clients that leave, and leaves nothing open", async () => {
    const runs = new Runs();
    const url = await listen(make(() => uiMessageStream(runs.start())));
    const clients = Array.from({ length: connections }, (_, index) =>
      index % 2 === 0 ? readAll(url) : readAndLeave(url),
    );
    const texts = (await Promise.all(clients)).filter((text) => text !== undefined);
    expect(texts).toHaveLength(connections / 2);
    for (const text of texts) expect(text).toMatch(/data: \[DONE\]\n\n$/);
    await expect.poll(() => runs.open).toBe(0);
    expect(runs.ended + runs.left).toBe(connections);
    expect(runs.ended).toBeGreaterThanOrEqual(connections / 2);
    await expect.poll(() => socketsOf(server)).toBe(0);
  });

  it("lets a hundred clients that were cut off go on where they were", async () => {
    const runs = new Runs();
    const log = eventLog(memoryStore());
    const url = await listen(
      make((request) => {
        const id = new URL(request.url).pathname.slice(1);
        const after = request.headers.get("last-event-id");
        return sse(after === null ? log.record(id, runs.start()) : log.replay(id, { after }));
      }),
    );
    const ids = Array.from({ length: connections }, (_, index) => `run-${index}`);
    await Promise.all(ids.map((id) => readAndLeave(`${url}/${id}`)));
    await expect.poll(() => runs.ended).toBe(connections);
    expect(runs.left).toBe(0);
    const rests = await Promise.all(ids.map((id) => readAll(`${url}/${id}`, { "last-event-id": "run-1:4" })));
    for (const rest of rests) {
      const seqs = [...rest.matchAll(/^id: run-1:(\d+)$/gm)].map(([, seq]) => Number(seq));
      expect(seqs).toEqual(weatherRun.map((_, seq) => seq).slice(5));
    }
    await expect.poll(() => socketsOf(server)).toBe(0);
  });
});
