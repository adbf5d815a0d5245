// viewer() in real servers and over real stores.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { serve } from "@hono/node-server";
import express from "express";
import { Hono } from "hono";
import { type CheckpointStore, Graph, memoryStore, START } from "kumiko";
import { runs } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import { type Viewer, type ViewerOptions, viewer } from "kumiko/viewer";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AnswerResult, Failure, QuestionList, RunList, RunView } from "../../../src/viewer/api.js";
import { describeWithPostgres, hookTimeout, type PostgresServer, startServer } from "../../stores/postgres/server.js";

function desk(store: CheckpointStore) {
  return new Graph<string, string>()
    .addNode("sign", async (text: string, ctx) => `${text}: ${await ctx.ask<string>("sign", { title: text })}`)
    .addEdge(START, "sign")
    .addEdge("sign", "end")
    .compile({ name: "desk", store, durability: "step", history: true, keepCheckpoint: true });
}

const stop = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);
const access: Pick<ViewerOptions, "authorize"> = { authorize: () => ({ can: "answer", user: "ada" }) };

/** A request of Node.js as the web has it. */
function nodeServer(shown: Viewer): Server {
  return createServer(async (request, response) => {
    const url = `http://${request.headers.host}${request.url}`;
    const hasBody = request.method === "POST";
    const body = hasBody ? { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" } : {};
    const headers = new Headers(request.headers as Record<string, string>);
    const answer = await shown.fetch(new Request(url, { method: request.method ?? "GET", headers, ...body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body !== null) for await (const piece of answer.body) response.write(piece);
    response.end();
  });
}

const hosts: Readonly<Record<string, (shown: Viewer) => Server>> = {
  Hono: (shown) => {
    const app = new Hono();
    app.all("/ops/*", (c) => shown.fetch(c.req.raw));
    return serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
  },
  Express: (shown) => {
    const app = express();
    const inner = nodeServer(shown);
    app.use((request, response) => inner.emit("request", request, response));
    return app.listen(0, "127.0.0.1");
  },
  "Node.js": (shown) => nodeServer(shown).listen(0, "127.0.0.1"),
};

describe.each(Object.keys(hosts))("in a server of %s", (name) => {
  it("serves the page, takes an answer, and follows what happens", async () => {
    const app = desk(memoryStore());
    const shown = viewer({ apps: { desk: app }, basePath: "/ops", ...access });
    onTestFinished(() => shown.close());
    const server = hosts[name]?.(shown);
    if (server === undefined) throw new Error(name);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    if (!server.listening) await new Promise((done) => server.once("listening", done));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ops/`;
    expect(await (await fetch(base)).text()).toContain('data-base="/ops/"');
    expect((await fetch(`${base}assets/page.css`)).headers.get("content-type")).toContain("text/css");
    const live = await fetch(`${base}api/live`);
    const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('"type":"open"');
    await stop(app.invoke("x", { checkpointId: "r-1", callbacks: [shown.handler] }));
    let told = "";
    while (!told.includes('"type":"questions"')) told += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    const { questions } = (await (await fetch(`${base}api/questions`)).json()) as QuestionList;
    const body = JSON.stringify({ ref: questions[0]?.run.ref, answers: { [questions[0]?.id ?? ""]: "yes" }, key: "1" });
    const headers = { "content-type": "application/json", origin: new URL(base).origin };
    expect((await fetch(`${base}api/answer`, { method: "POST", headers, body })).status).toBe(202);
    const other = { ...headers, origin: "http://127.0.0.1:1" };
    expect((await fetch(`${base}api/answer`, { method: "POST", headers: other, body })).status).toBe(403);
    const run = async () => (await (await fetch(`${base}api/runs/${questions[0]?.run.ref}`)).json()) as RunView;
    await expect.poll(async () => (await run()).output?.value).toBe("x: yes");
  });
});

function showsRuns(open: () => CheckpointStore): void {
  it("lists and finds runs among thousands, each once", async () => {
    const store = open();
    const [prefix, count] = [`many-${Math.random()}-`, 2_500];
    for (let at = 0; at < count; at += 250)
      await Promise.all(
        Array.from({ length: 250 }, (_, n) =>
          runs(store).enqueue("desk", "x", { id: `${prefix}${String(at + n).padStart(4, "0")}` }),
        ),
      );
    const shown = viewer({ apps: { desk: desk(store) }, ...access });
    onTestFinished(() => shown.close());
    const get = async (query: string) =>
      (await (await shown.fetch(new Request(`http://x/api/runs?${query}`))).json()) as RunList;
    const seen = new Set<string>();
    let after: string | undefined;
    let last = Number.POSITIVE_INFINITY;
    do {
      const page = await get(
        `limit=200&search=${prefix}${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`,
      );
      for (const { checkpointId = "", since } of page.runs) {
        expect(seen.has(checkpointId)).toBe(false);
        expect(since).toBeLessThanOrEqual(last);
        last = since;
        seen.add(checkpointId);
      }
      after = page.next;
    } while (after !== undefined);
    expect(seen.size).toBe(count);
    expect((await get(`search=${prefix}0003`)).runs).toMatchObject([
      { checkpointId: `${prefix}0003`, status: "ready" },
    ]);
    expect((await get(`search=${prefix}&status=failed`)).runs).toEqual([]);
  });

  it("tells one of two who answer at once, each with a store of their own", async () => {
    const [app, other] = [desk(open()), desk(open())];
    const id = `race-${Math.random()}`;
    await stop(app.invoke("x", { checkpointId: id }));
    const asked: string[] = [];
    const pages = [app, other].map((one, n) =>
      viewer({
        apps: { desk: one },
        authorize: () => ({ can: "answer", user: String(n) }),
        onAnswer: ({ user = "" }) => void asked.push(user),
      }),
    );
    onTestFinished(async () => void (await Promise.all(pages.map((one) => one.close()))));
    const get = async <T>(path: string): Promise<T> =>
      (await pages[0]?.fetch(new Request(`http://x/api/${path}`)))?.json() as Promise<T>;
    const { questions } = await get<QuestionList>("questions");
    const question = questions.find(({ run }) => run.checkpointId === id);
    const answers = await Promise.all(
      pages.map((one, n) =>
        one.fetch(
          new Request("http://x/api/answer", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ ref: question?.run.ref, answers: { [question?.id ?? ""]: `by ${n}` }, key: "k" }),
          }),
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    const bodies = await Promise.all(answers.map((answer) => answer.json() as Promise<AnswerResult | Failure>));
    const lost = bodies.find((body) => "error" in body);
    expect(lost).toMatchObject({
      error: { code: expect.stringMatching(/ALREADY_ANSWERED|UNKNOWN_INTERRUPT|CHECKPOINT_IN_USE/) },
    });
    const won = answers.findIndex(({ status }) => status === 202);
    expect(asked).toContain(String(won));
    const ref = question?.run.ref;
    const view = () => get<RunView>(`runs/${ref}`);
    await expect.poll(async () => (await view()).output?.value, { timeout: 20_000 }).toBe(`x: by ${won}`);
  });
}

describe("over SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-viewer-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  showsRuns(() => {
    const store = sqliteStore(join(folder, "runs.db"), { synchronous: "normal" });
    onTestFinished(() => store.close());
    return store;
  });
});

describeWithPostgres("over PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startServer();
  }, hookTimeout);
  afterAll(() => server.stop());
  showsRuns(() => {
    const store = postgresStore({ connectionString: server.url() });
    onTestFinished(() => store.close());
    return store;
  });
});
