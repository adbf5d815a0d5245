import { Chain, createTool, END, functionToolCall, Graph, type Handler, memoryStore, START } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { type Access, type ViewerOptions, viewer } from "kumiko/viewer";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type {
  About,
  AnswerResult,
  AppView,
  Failure,
  LiveEvent,
  QuestionList,
  RunList,
  RunResult,
  RunView,
  StateView,
  ValueView,
} from "../../../src/viewer/api.js";

const origin = "http://localhost";
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

function asking(store = memoryStore(), callbacks: Handler[] = []) {
  return new Graph<string, string>()
    .withState(() => ({ notes: ["begun"], password: "p4ss" }))
    .addNode("read", (text: string) => text.trim())
    .addNode("sign", async (text: string, ctx) => {
      const schema = z.object({ decision: z.enum(["close", "open"]), note: z.string().max(5).optional() });
      const { decision } = await ctx.ask("sign", { title: text, apiKey: "k-1" }, schema);
      return `${text}: ${decision}`;
    })
    .addEdge(START, "read")
    .addEdge("read", "sign")
    .addEdge("sign", END)
    .compile({ name: "desk", store, durability: "step", history: true, keepCheckpoint: true, callbacks });
}

function serve(options: Partial<ViewerOptions> = {}, access: Access = { can: "act", user: "ada" }) {
  const shown = viewer({ authorize: () => access, ...options });
  open.push(shown);
  const base = options.basePath ?? "/";
  const fetch = (path: string, init: RequestInit = {}) => shown.fetch(new Request(`${origin}${base}${path}`, init));
  const get = async <T>(path: string): Promise<T> => (await fetch(`api/${path}`)).json() as Promise<T>;
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ key: String(Math.random()), ...body }),
    });
  return { shown, fetch, get, post };
}

const stop = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);
const until = async <T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> => {
  for (let n = 0; n < 200; n++) {
    const value = await read();
    if (isDone(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It never came.");
};

describe("viewer()", () => {
  it.each([
    [{ apps: { a: {} as never } }, /apps\.a of viewer must be a compiled graph or an agent/],
    [{ basePath: "ops" }, /basePath of viewer must be a path that begins with/],
    [{ origin: "localhost" }, /origin of viewer/],
    [{ stores: { s: {} as never } }, /stores\.s of viewer must be a CheckpointStore/],
    [{ color: "red" } as never, /Unknown option "color" of viewer/],
  ])("refuses %j", (options, message) => {
    expect(() => viewer({ authorize: () => ({ can: "look" }), ...(options as object) })).toThrow(message);
  });

  it("needs authorize, and apps with names that tell them apart", () => {
    expect(() => viewer({} as never)).toThrow(/viewer needs the option authorize/);
    const store = memoryStore();
    const [a, b] = [asking(store), asking(store)];
    expect(() => viewer({ apps: { a, b }, authorize: () => undefined })).toThrow(
      /apps\.a and apps\.b|apps\.b and apps\.a/,
    );
    expect(() => viewer({ apps: { a, b: asking() }, authorize: () => undefined })).not.toThrow();
  });

  it("serves the page, which needs no authorization, with headers that let nothing else in", async () => {
    const { fetch } = serve({ basePath: "/ops", authorize: () => undefined });
    const page = await fetch("/");
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('data-base="/ops/"');
    const headers = Object.fromEntries(page.headers);
    expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect((await fetch("")).status).toBe(308);
    expect((await fetch("/nothing")).status).toBe(404);
    expect((await fetch("/api/about")).status).toBe(401);
  });

  it("asks who it is for each request of data", async () => {
    const authorize = vi.fn(() => new Response("sign in", { status: 302, headers: { location: "/login" } }));
    const { fetch } = serve({ authorize });
    expect((await fetch("api/about")).status).toBe(302);
    expect((await fetch("api/runs")).status).toBe(302);
    expect(authorize).toHaveBeenCalledTimes(2);
    const failing = serve({
      authorize: () => {
        throw new Error("postgres://me:pw@db is away");
      },
    });
    const response = await failing.fetch("api/about");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("postgres");
  });

  it("refuses what does not come from its page", async () => {
    const { post, fetch } = serve({ apps: { desk: asking() } });
    const body = { app: "desk", input: "x" };
    expect((await post("start", body, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post("start", body, { "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await post("start", body, { origin: "http://localhost:81" })).status).toBe(403);
    expect((await post("start", body, { "content-type": "text/plain" })).status).toBe(415);
    expect(
      (await fetch("api/start", { method: "POST", headers: { "content-type": "application/json" }, body: "{" })).status,
    ).toBe(400);
    expect((await fetch("api/start", { method: "PUT" })).status).toBe(405);
    expect((await post("start", body, { origin, "sec-fetch-site": "same-origin" })).status).toBe(202);
    const proxied = serve({ apps: { desk: asking() }, origin: "https://ops.example.com" });
    expect((await proxied.post("start", body, { origin: "https://ops.example.com" })).status).toBe(202);
    expect((await proxied.post("start", body, { origin })).status).toBe(403);
  });

  it.each([
    ["look", "answer", 403],
    ["look", "start", 403],
    ["answer", "start", 403],
    ["answer", "fork", 403],
    ["answer", "go-on", 404],
    ["act", "stop", 404],
  ] as const)("lets those who may %s %s: %s", async (can, what, status) => {
    const { post } = serve({ apps: { desk: asking() } }, { can });
    expect((await post(what, { ref: "s.desk.nothing", app: "desk", answers: { a: 1 } })).status).toBe(status);
  });

  it("says what it shows", async () => {
    const agent = createAgent({ name: "helper", model: scriptedModel("Hi."), instructions: "Be kind." });
    const lone = new Chain<string>().append((text) => text).compile({ name: "lone" });
    const { get } = serve({ apps: { desk: asking(), agent, lone }, stores: { other: memoryStore() } });
    expect(await get<About>("about")).toMatchObject({
      version: 1,
      can: "act",
      user: "ada",
      apps: [
        { key: "desk", name: "desk", component: "graph", keeps: "store" },
        { key: "agent", name: "helper", component: "agent", keeps: "session" },
        { key: "lone", component: "chain", keeps: "session" },
      ],
      stores: ["other", "desk", "session"],
      notices: [expect.stringContaining("until the process ends")],
    });
    expect(await get<AppView>("apps/agent")).toMatchObject({
      agent: { instructions: "Be kind.", tools: [], maxSteps: 20 },
      graph: { nodes: [{ key: "model", component: "model" }, { key: "tools" }] },
    });
    expect(await get<Failure>("apps/none")).toMatchObject({ error: { code: "UNKNOWN_APP" } });
  });
});

describe("runs", () => {
  it("are shown from their spans and their saves", async () => {
    const app = asking();
    const { shown, get } = serve({ apps: { desk: app } });
    await stop(app.invoke(" Refund? ", { checkpointId: "r.1/ü", callbacks: [shown.handler] }));
    const { runs } = await get<RunList>("runs");
    expect(runs).toMatchObject([
      { checkpointId: "r.1/ü", graph: "desk", app: "desk", status: "waiting", store: "desk" },
    ]);
    const ref = encodeURIComponent(runs[0]?.ref ?? "");
    const view = await get<RunView>(`runs/${ref}`);
    expect(view).toMatchObject({
      graph: "desk",
      segments: [{ status: "waiting" }],
      errors: [],
      canFork: true,
      questions: [
        { kind: "ask", path: "sign", key: "sign", info: { value: { title: "Refund?", apiKey: { $: "masked" } } } },
      ],
    });
    expect(view.spans.map(({ path, status, component }) => [path, status, component])).toEqual([
      ["", "waiting", "graph"],
      ["read", "done", "lambda"],
      ["sign", "waiting", "lambda"],
    ]);
    expect(view.spans[1]).toMatchObject({ input: { value: " Refund? " }, output: { value: "Refund?" } });
    expect(view.saves?.map(({ cause, ran }) => [cause, ...ran])).toEqual([["start"], ["task", "read"], ["interrupt"]]);
    const state = await get<StateView>(`runs/${ref}/state?entry=2&path=`);
    expect(state).toMatchObject({ state: { value: { notes: ["begun"], password: { $: "masked" } } } });
    expect(await get<object>(`runs/${ref}/saves?before=2`)).toMatchObject({ saves: [{ cause: "start" }], more: false });
  });

  it("are shown from their saves alone, and from their spans alone", async () => {
    const app = asking();
    const lone = new Chain<string>().append((text) => text.toUpperCase(), { key: "up" }).compile({ name: "lone" });
    const { shown, get } = serve({ apps: { desk: app } });
    await stop(app.invoke("x", { checkpointId: "r-1" }));
    await lone.invoke("a", { callbacks: [shown.handler] });
    const { runs } = await get<RunList>("runs");
    expect(runs.map(({ graph, status }) => [graph, status]).sort()).toEqual([
      ["desk", "waiting"],
      ["lone", "finished"],
    ]);
    const [saved, live] = ["desk", "lone"].map((name) => runs.find(({ graph }) => graph === name)?.ref ?? "");
    expect(await get<RunView>(`runs/${saved}`)).toMatchObject({ spans: [], saves: [{}, {}, {}] });
    const spans = await get<RunView>(`runs/${live}`);
    expect(spans.spans.map(({ path }) => path)).toEqual(["", "up"]);
    expect(spans).toMatchObject({ graph: "lone", noHistory: expect.stringContaining("not saved") });
    expect(await get<Failure>("runs/s.desk.none")).toMatchObject({ error: { code: "UNKNOWN_RUN" } });
  });

  it("are one, however often they pass the handler and are resumed", async () => {
    const { shown, get } = serve({ apps: {} });
    const app = asking(memoryStore(), [shown.handler]);
    const error = (await stop(app.invoke("x", { checkpointId: "r-1", callbacks: [shown.handler] }))) as {
      interrupts: [{ id: string }];
    };
    await app.resume("r-1", { [error.interrupts[0].id]: { decision: "close" } });
    const { runs } = await get<RunList>("runs");
    expect(runs).toHaveLength(1);
    const view = await get<RunView>(`runs/${runs[0]?.ref}`);
    expect(view.segments.map(({ status }) => status)).toEqual(["waiting", "finished"]);
    expect(view.spans.filter(({ path }) => path === "read")).toHaveLength(1);
    expect(view.spans.map(({ segment }) => segment)).toEqual([0, 0, 0, 1, 1]);
  });

  it("have the texts, tokens and costs of models, and the tools of agents", async () => {
    const search = createTool({ id: "search", description: "Finds.", execute: () => "found" });
    const usage = { promptTokens: 1_000, completionTokens: 100, totalTokens: 1_100 };
    async function* answer() {
      for (const text of ["Hel", "lo!"])
        yield {
          role: "assistant" as const,
          contentBlocks: [{ type: "assistant_gen_text" as const, text, streamingMeta: { index: 0 } }],
        };
      yield { role: "assistant" as const, contentBlocks: [], responseMeta: { tokenUsage: usage, model: "acme/gpt" } };
    }
    const model = scriptedModel([functionToolCall({ callId: "c-1", name: "search", arguments: "{}" })], () => answer());
    const agent = createAgent({ name: "helper", model, tools: [search] });
    const prices = { "acme/gpt": { input: 1, output: 10 } };
    const { shown, get } = serve({ apps: { agent }, prices });
    await agent.stream("Hi", { callbacks: [shown.handler] }).result;
    const { runs } = await get<RunList>("runs");
    const view = await get<RunView>(`runs/${runs[0]?.ref}`);
    expect(view.tools).toMatchObject({ "": [{ name: "search", kind: "local" }] });
    expect(view.run.usage).toMatchObject({ promptTokens: 1_000, cost: 0.002 });
    const last = view.spans.filter(({ component }) => component === "model").at(-1);
    expect(last).toMatchObject({ path: "model", model: "acme/gpt", attempt: 1, chunks: { count: 3 } });
    expect(view.spans.find(({ component }) => component === "tool")).toMatchObject({
      path: "tools",
      tool: "search",
      toolCallId: "c-1",
    });
  });

  it("show values as what they are, cut where they are long, and redacted", async () => {
    const cycle: Record<string, unknown> = { big: 1n, at: new Date(0), map: new Map([["k", 1]]), none: undefined };
    cycle.self = cycle;
    cycle.bytes = new Uint8Array([1, 2]);
    cycle.$ = "mine";
    cycle.authorization = "Bearer 1";
    cycle.card = "4417";
    const app = new Chain<unknown>().append((value) => [value, "x".repeat(100_000)]).compile({ name: "odd" });
    const redact = (value: unknown, path: readonly string[]) => (path.at(-1) === "card" ? "****" : value);
    const { shown, get } = serve({ redact });
    await app.invoke(cycle, { callbacks: [shown.handler] });
    const { runs } = await get<RunList>("runs");
    const [root] = (await get<RunView>(`runs/${runs[0]?.ref}`)).spans;
    expect(root?.input?.value).toEqual({
      $: "object",
      entries: [
        ["big", { $: "text", kind: "bigint", text: "1" }],
        ["at", { $: "text", kind: "date", text: "1970-01-01T00:00:00.000Z" }],
        ["map", { $: "map", entries: [["k", 1]] }],
        ["self", { $: "circular" }],
        ["bytes", { $: "bytes", kind: "Uint8Array", size: 2, base64: "AQI=" }],
        ["$", "mine"],
        ["authorization", { $: "masked" }],
        ["card", "****"],
      ],
    });
    expect(root?.output?.size).toBeGreaterThan(100_000);
    expect(JSON.stringify(root?.output?.value).length).toBeLessThan(70_000);
    const whole = await get<ValueView>(`values/${root?.output?.more}`);
    expect(JSON.stringify(whole.value)).toContain("x".repeat(100_000));
  });

  it("mask errors, which have no stacks and no connection strings", async () => {
    const app = new Chain<string>()
      .append(() => {
        throw Object.assign(new Error("cannot reach postgres://me:pw@db/x"), { code: "ECONNREFUSED" });
      })
      .compile({ name: "failing" });
    const { shown, get } = serve();
    await stop(app.invoke("x", { callbacks: [shown.handler] }));
    const { runs } = await get<RunList>("runs");
    const text = JSON.stringify(await get<RunView>(`runs/${runs[0]?.ref}`));
    expect(runs).toMatchObject([{ status: "failed" }]);
    expect(text).toContain("cannot reach postgres://•••");
    expect(text).not.toMatch(/me:pw|at .*\.ts:/);
  });
});

describe("questions", () => {
  const questionOf = async (get: <T>(path: string) => Promise<T>) => {
    const [question] = (await get<QuestionList>("questions")).questions;
    if (question === undefined) throw new Error("There is no question.");
    return question;
  };

  it("are answered: what does not fit is said where it stands, and the run goes on", async () => {
    const app = asking();
    const onAnswer = vi.fn();
    const { get, post } = serve({ apps: { desk: app }, onAnswer });
    await stop(app.invoke("Refund?", { checkpointId: "r-1" }));
    const { id, run, schema } = await questionOf(get);
    expect(schema).toMatchObject({ properties: { decision: { enum: ["close", "open"] } } });
    const wrong = await post("answer", { ref: run.ref, answers: { [id]: { decision: "close", note: "too long" } } });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({
      error: { code: "ANSWER_MISMATCH", fields: [{ question: id, path: ["note"], message: expect.any(String) }] },
    });
    expect(onAnswer).not.toHaveBeenCalled();
    const sent = { ref: run.ref, answers: { [id]: { decision: "close" } }, key: "form-1" };
    const [first, again] = await Promise.all([post("answer", sent), post("answer", sent)]);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect((await first.json()) as AnswerResult).toMatchObject({ goesOn: true });
    expect(onAnswer.mock.calls).toMatchObject([[{ app: "desk", checkpointId: "r-1", interrupt: id, user: "ada" }]]);
    const done = await until(
      () => get<RunView>(`runs/${run.ref}`),
      (view) => view.run.status === "finished",
    );
    expect(done.output?.value).toBe("Refund?: close");
    expect((await get<QuestionList>("questions")).questions).toEqual([]);
    const late = await post("answer", { ...sent, key: "form-2" });
    expect(late.status).toBe(409);
    expect(await late.json()).toMatchObject({ error: { code: "ALREADY_ANSWERED" } });
  });

  it("of an unknown app are recorded for workers", async () => {
    const store = memoryStore();
    await stop(asking(store).invoke("Refund?", { checkpointId: "r-1" }));
    const { get, post } = serve({ stores: { shared: store } }, { can: "answer" });
    const { id, run } = await questionOf(get);
    const response = await post("answer", { ref: run.ref, answers: { [id]: { decision: "close" } } });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ goesOn: false, run: { status: "ready" } });
    expect((await get<QuestionList>("questions")).questions).toEqual([]);
  });

  it("are told once where the database of an app is named as a store beside it", async () => {
    const store = memoryStore();
    const app = asking(store);
    await stop(app.invoke("Refund?", { checkpointId: "r-1" }));
    const opened = new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const { get } = serve({ apps: { desk: app }, stores: { opened } });
    expect((await get<QuestionList>("questions")).questions).toHaveLength(1);
    expect((await get<RunList>("runs")).runs).toMatchObject([{ app: "desk", checkpointId: "r-1" }]);
  });

  it("are not answered where onAnswer refuses or fails", async () => {
    const app = asking();
    const onAnswer = vi.fn<() => string>(() => "A second person must agree.");
    const { get, post } = serve({ apps: { desk: app }, onAnswer });
    await stop(app.invoke("Refund?", { checkpointId: "r-1" }));
    const { id, run } = await questionOf(get);
    const answers = { [id]: { decision: "close" } };
    const refused = await post("answer", { ref: run.ref, answers });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { message: "A second person must agree." } });
    onAnswer.mockImplementation(() => {
      throw new Error("the audit log is away");
    });
    const failed = await post("answer", { ref: run.ref, answers });
    expect(failed.status).toBe(500);
    expect(await failed.text()).not.toContain("audit");
    expect((await get<QuestionList>("questions")).questions).toHaveLength(1);
  });

  it("of agents have the call and what was said before", async () => {
    const pay = createTool({
      id: "pay",
      description: "Pays.",
      inputSchema: z.object({ sum: z.number() }),
      requireApproval: true,
      execute: ({ sum }) => `paid ${sum}`,
    });
    const model = scriptedModel([functionToolCall({ callId: "c-1", name: "pay", arguments: '{"sum":5}' })], "Paid.");
    const agent = createAgent({ name: "clerk", model, tools: [pay], store: memoryStore(), history: true });
    const { get, post } = serve({ apps: { agent } });
    await agent.generate("Pay it", { threadId: "t-1" });
    const question = await questionOf(get);
    expect(question).toMatchObject({
      kind: "approval",
      path: "tools",
      tool: { name: "pay", approval: "always" },
      info: { value: { toolName: "pay", input: { sum: 5 } } },
      run: { threadId: "t-1", app: "agent" },
    });
    expect(JSON.stringify(question.before)).toContain("Pay it");
    const answers = { [question.id]: { approved: true } };
    expect((await post("answer", { ref: question.run.ref, answers })).status).toBe(202);
    await until(
      () => get<QuestionList>("questions"),
      ({ questions }) => questions.length === 0,
    );
  });
});

describe("acting", () => {
  it("starts a graph, an agent, and a graph that is kept for the session", async () => {
    const lone = new Chain<string>().append((text, ctx) => ctx.ask<string>("q", text)).compile({ name: "lone" });
    const agent = createAgent({ name: "helper", model: scriptedModel("Hi."), store: memoryStore() });
    const { get, post } = serve({ apps: { desk: asking(), agent, lone } });
    const started = (await (await post("start", { app: "desk", input: "x" })).json()) as RunResult;
    expect(started.run).toMatchObject({ app: "desk", graph: "desk" });
    const answered = (await (await post("start", { app: "agent", input: { message: "Hi" } })).json()) as RunResult;
    expect(answered.run).toMatchObject({ graph: "helper", threadId: expect.stringMatching(/^agent-/) });
    expect((await post("start", { app: "agent", input: {} })).status).toBe(400);
    await post("start", { app: "lone", input: "why?" });
    const { questions } = await until(
      () => get<QuestionList>("questions"),
      (list) => list.questions.length === 2,
    );
    const question = questions.find(({ run }) => run.app === "lone");
    expect(question).toMatchObject({ kind: "text", info: { value: "why?" } });
    const ref = question?.run.ref ?? "";
    expect((await post("answer", { ref, answers: { [question?.id ?? ""]: "because" } })).status).toBe(202);
    await until(
      () => get<QuestionList>("questions"),
      (list) => list.questions.length === 1,
    );
  });

  it("forks from a save, with another state, and goes on with the copy", async () => {
    const app = asking();
    const { get, post } = serve({ apps: { desk: app } });
    await stop(app.invoke("x", { checkpointId: "r-1" }));
    const response = await post("fork", { ref: "s.desk.r-1", entry: "2", outputs: { read: "edited" } });
    const { run } = (await response.json()) as RunResult;
    expect(response.status).toBe(202);
    expect(run).toMatchObject({ forkOf: "r-1", app: "desk" });
    const { questions } = await until(
      () => get<QuestionList>("questions"),
      (list) => list.questions.length === 2,
    );
    expect(questions.map(({ info }) => (info.value as { title: string }).title).sort()).toEqual(["edited", "x"]);
    const refused = await post("fork", { ref: "s.desk.r-1", entry: "3", outputs: { read: "edited" } });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { code: "NOT_EDITABLE" } });
  });
});

describe("live", () => {
  it("tells what happens, and goes on where the page was", async () => {
    const app = asking();
    const { shown, fetch } = serve({ apps: { desk: app } });
    const read = async function* (path: string): AsyncGenerator<LiveEvent> {
      const response = await fetch(path);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      try {
        for (;;) {
          const { value, done } = await reader.read();
          if (done) return;
          for (const line of decoder.decode(value).split("\n")) if (line !== "") yield JSON.parse(line);
        }
      } finally {
        await reader.cancel();
      }
    };
    const events: LiveEvent[] = [];
    const following = (async () => {
      for await (const event of read("api/live")) {
        events.push(event);
        if (event.type === "questions") return;
      }
    })();
    await until(
      async () => events.length,
      (count) => count === 1,
    );
    await stop(app.invoke("x", { checkpointId: "r-1", callbacks: [shown.handler] }));
    await following;
    expect(events[0]).toMatchObject({ type: "open", isComplete: false });
    const spans = events.filter((event) => event.type === "span");
    expect(spans.map(({ ref }) => ref).every((ref) => ref === "s.desk.r-1")).toBe(true);
    expect(spans.map(({ span }) => `${span.path} ${span.status}`)).toContain("sign waiting");
    const middle = events[3]?.id ?? 0;
    const again: LiveEvent[] = [];
    for await (const event of read(`api/live?after=${middle}`)) {
      again.push(event);
      if (again.length === 3) break;
    }
    expect(again[0]).toMatchObject({ type: "open", isComplete: true });
    expect(again[1]?.id).toBe(middle + 1);
  });

  it("never waits for a page that reads nothing", async () => {
    const app = new Chain<number>().append((n) => n + 1).compile({ name: "quick" });
    const { shown, fetch } = serve();
    const response = await fetch("api/live");
    for (let n = 0; n < 3_000; n++) await app.invoke(n, { callbacks: [shown.handler] });
    const { runs } = (await (await fetch("api/runs?limit=200")).json()) as RunList;
    expect(runs).toHaveLength(200);
    const { notices } = (await (await fetch("api/about")).json()) as About;
    expect(notices.join()).toContain("older runs are not shown");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const lines: string[] = [];
    while (lines.length < 2)
      lines.push(
        ...new TextDecoder()
          .decode((await reader.read()).value)
          .trim()
          .split("\n"),
      );
    expect(lines.map((line) => JSON.parse(line)).at(-1)).toMatchObject({ type: "open", isComplete: false });
    await reader.cancel();
  });
});
