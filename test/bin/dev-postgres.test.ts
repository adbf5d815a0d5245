// kumiko dev with a real PostgreSQL: runs that processes share.
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AnswerResult, LiveEvent, QuestionList, RunList, RunView } from "../../src/viewer/api.js";
import {
  describeWithPostgres,
  hookTimeout,
  openAdmin,
  type PostgresServer,
  password,
  startServer,
} from "../stores/postgres/server.js";
import { code, folder, followLive, soon, startDev } from "./start-dev.js";

const asking = code(`export const desk = new Chain()
  .append(async (text, ctx) => text + (await ctx.ask("q", text, { type: "string" })), { key: "ask" })
  .compile({ name: "desk" });`);

describeWithPostgres("kumiko dev --store postgres://…", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startServer();
  }, hookTimeout);
  afterAll(() => server?.stop(), hookTimeout);

  it("keeps the runs of apps there, where another one shows and answers them at once", async () => {
    const file = join(folder({ "app.ts": asking }), "app.ts");
    const first = await startDev(file, "--port", "0", "--store", server.url());
    await soon(first.apps).toEqual(["desk"]);
    const second = await startDev("--store", server.url(), "--can", "answer", "--port", "0");
    await soon(async () => (await second.about()).stores).toEqual(["store"]);
    expect(await second.about()).toMatchObject({ isLive: true, can: "answer" });
    const events: LiveEvent[] = [];
    void followLive(second, events);
    await soon(() => events.length).toBeGreaterThan(0);
    await first.post("start", { app: "desk", input: "why?" });
    // told by the database, not asked for
    const waits = { type: "run", run: expect.objectContaining({ status: "waiting" }) };
    await soon(() => events).toContainEqual(expect.objectContaining(waits));
    const { questions } = await second.get<QuestionList>("questions");
    expect(questions).toMatchObject([{ kind: "ask", info: { value: "why?" }, run: { graph: "desk" } }]);
    const { id = "", run } = questions[0] ?? {};
    const sent = { ref: run?.ref, answers: { [id]: " because" } };
    expect(await second.post<AnswerResult>("answer", sent)).toMatchObject({ goesOn: false, run: { status: "ready" } });
    await first.post("go-on", { ref: run?.ref });
    await soon(async () => (await first.get<RunView>(`runs/${run?.ref}`)).output?.value).toBe("why? because");
    await soon(async () => (await second.get<RunList>("runs")).runs).toMatchObject([{ status: "finished" }]);
    for (const dev of [first, second]) {
      dev.child.kill("SIGINT");
      await soon(() => dev.child.exitCode).toBe(130);
      expect(dev.output()).not.toContain(password);
    }
    // nobody is connected any more, but for the one who asks
    const admin = openAdmin(server);
    const connected = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend'";
    await soon(async () => (await admin.query(connected)).rows[0].n).toBe(1);
    await admin.end();
  });

  it("says that the database is not there, without its password, and shows its runs once it is", async () => {
    const file = join(folder({ "app.ts": asking }), "app.ts");
    const dev = await startDev(file, "--port", "0", "--store", server.url());
    await soon(dev.apps).toEqual(["desk"]);
    await dev.post("start", { app: "desk", input: "again?" });
    await soon(async () => (await dev.get<QuestionList>("questions")).questions.length).toBeGreaterThan(0);
    await server.crash();
    const away = await (await dev.ask("runs")).text();
    expect(JSON.parse(away)).toMatchObject({
      error: { code: "STORE_FAILED", message: expect.stringContaining("PostgreSQL") },
    });
    expect(away + dev.output()).not.toContain(encodeURIComponent(password));
    expect(away + dev.output()).not.toContain(password);
    expect((await dev.about()).dev).toMatchObject({ status: "running" });
    await server.restart();
    await soon(async () => (await dev.get<RunList>("runs")).runs?.length).toBeGreaterThan(0);
  });
});
