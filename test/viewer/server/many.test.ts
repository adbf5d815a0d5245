// viewer() with much, and with what is meant badly.
import { Chain, type CheckpointStore, END, Graph, memoryStore, START } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { expect, it } from "vitest";
import type { AppView, LiveEvent, QuestionList, RunList, RunView, SpanList } from "../../../src/viewer/api.js";
import { serve } from "./serve.js";

const stop = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);

/** The lines of a stream that come at once. */
async function linesOf(response: Response, isOver: (events: readonly LiveEvent[]) => boolean): Promise<LiveEvent[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const events: LiveEvent[] = [];
  let rest = "";
  while (!isOver(events)) {
    const lines = (rest + ((await reader?.read())?.value ?? "")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") events.push(JSON.parse(line));
  }
  await reader?.cancel();
  return events;
}

it("shows a run of 10,000 spans", async () => {
  const item = new Chain<number>().append((n) => n + 1, { key: "add" }).compile({ name: "item" });
  const app = new Graph<readonly number[], number>()
    .addNode("all", async (list: readonly number[], ctx) => {
      for (const n of list) await item.invoke(n, { parent: ctx, key: String(n) });
      return list.length;
    })
    .addEdge(START, "all")
    .addEdge("all", END)
    .compile({ name: "many" });
  const { shown, get } = serve();
  await app.invoke(
    Array.from({ length: 5_000 }, (_, n) => n),
    { callbacks: [shown.handler] },
  );
  const { runs } = await get<RunList>("runs");
  const view = await get<RunView>(`runs/${runs[0]?.ref}`);
  const spans = [...view.spans];
  for (let more = view.moreSpans !== undefined; more; ) {
    const page = await get<SpanList>(`runs/${view.moreSpans}/spans?from=${spans.length}`);
    expect(page.spans.length).toBeLessThanOrEqual(2_000);
    spans.push(...page.spans);
    more = page.more;
  }
  expect(new Set(spans.map(({ id }) => id)).size).toBe(10_002);
  expect(view.spanCount).toBe(10_002);
  const some = await get<SpanList>(`runs/${view.moreSpans}/spans?from=5000&to=5010`);
  expect(some).toEqual({ spans: spans.slice(5_000, 5_010), more: true });
  const brief = await get<SpanList>(`runs/${view.moreSpans}/spans?from=5000&to=5010&values=0`);
  const bare = some.spans.map(({ input, output, ...span }) => ({ ...span, isPartial: true }));
  expect(brief).toEqual({ spans: bare, more: true });
  const first = await get<RunView>(`runs/${runs[0]?.ref}?values=0`);
  expect(first).toMatchObject({ moreSpans: view.moreSpans, spanCount: 10_002 });
  expect(first.spans.map(({ id, isPartial, input }) => [id, isPartial, input])).toEqual(
    view.spans.map(({ id }) => [id, true, undefined]),
  );
  expect(spans.every(({ status, path }) => status === "done" && (path === "" || path === "all"))).toBe(true);
});

it("tells a slow page of 100,000 events every start and end, and counts the texts that it lost", async () => {
  const chunk = {
    role: "assistant" as const,
    contentBlocks: [{ type: "assistant_gen_text" as const, text: "x", streamingMeta: { index: 0 } }],
  };
  async function* answer() {
    for (let n = 0; n < 9_000; n++) yield chunk;
  }
  const agent = createAgent({
    name: "talker",
    model: scriptedModel(...Array.from({ length: 12 }, () => () => answer())),
  });
  const { shown, fetch } = serve();
  const first = await fetch("live");
  const run = () => agent.stream("Hi", { callbacks: [shown.handler] }).result;
  expect((await run()).text).toHaveLength(9_000);
  // its start and its end
  const events = await linesOf(first, (all) => all.filter(({ type }) => type === "run").length === 2);
  const lost = events.reduce((sum, event) => sum + (event.type === "lost" ? event.chunks : 0), 0);
  expect(lost + events.filter(({ type }) => type === "chunk").length).toBe(9_000);
  expect(lost).toBeGreaterThan(0);
  const ends = events.filter((event) => event.type === "span" && event.span.status === "done");
  expect(new Set(ends.map((event) => event.type === "span" && event.span.id)).size).toBe(3);
  const second = await fetch("live");
  for (let n = 0; n < 11; n++) await run();
  // what is further back than the ring is loaded again
  const late = await linesOf(second, (all) => all.length > 0);
  expect(late[0]).toMatchObject({ type: "open", isComplete: false });
}, 60_000);

it("gives a graph of more than 2,000 nodes without a picture", async () => {
  const graph = new Graph<number, number>();
  const edges = graph as { addEdge(from: string, to: string): void } & typeof graph;
  for (let n = 0; n < 2_001; n++) graph.addNode(`n${n}`, (value: number) => value);
  for (let n = 1; n < 2_001; n++) edges.addEdge(`n${n - 1}`, `n${n}`);
  edges.addEdge(START, "n0");
  edges.addEdge("n2000", END);
  const wide = graph.compile({ name: "wide" });
  const { get } = serve({ apps: { wide } });
  const view = await get<AppView>("apps/wide");
  expect(view.graph.nodes).toHaveLength(2_001);
  // it is shown as a list
  expect(view.level).toBeUndefined();
}, 60_000);

it("takes hostile values for what they are", async () => {
  let deep: unknown = "bottom";
  for (let n = 0; n < 10_000; n++) deep = { deep };
  let wide: unknown = ["x"];
  for (let n = 0; n < 40; n++) wide = [wide, wide];
  const hostile = {
    __proto__x: 1,
    html: "</script><script>alert(1)</script>",
    link: "javascript:alert(1)",
    bidi: "a\u202Eb",
    long: "y".repeat(10_000_000),
    deep,
    wide,
    get thrower() {
      throw new Error("no");
    },
    proxy: new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    ),
    arguments: '{"password":"hunter2","sum":5}',
    url: new URL("https://me:hunter2@example.com/x"),
    revoked: (() => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    })(),
  };
  Object.defineProperty(hostile, "__proto__", { value: { polluted: true }, enumerable: true });
  const app = new Chain<unknown>().append(() => hostile, { key: "same" }).compile({ name: "odd" });
  const { shown, fetch, get } = serve();
  await app.invoke(1, { callbacks: [shown.handler] });
  const { runs } = await get<RunList>("runs");
  const text = await (await fetch(`runs/${runs[0]?.ref}`)).text();
  expect(text.length).toBeLessThan(400_000);
  expect(text).not.toContain("hunter2");
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  const more = (JSON.parse(text) as RunView).spans.at(-1)?.output?.more ?? "";
  const whole = await (await fetch(`values/${more}`)).text();
  expect(whole.length).toBeLessThan(6_000_000);
  expect(JSON.parse(whole).value).toMatchObject({ link: "javascript:alert(1)", bidi: "a\u202Eb" });
  expect(Object.keys(JSON.parse(whole).value)).toContain("__proto__x");
});

it("masks what redact fails on", async () => {
  const app = new Chain<object>().append((value) => value, { key: "same" }).compile({ name: "same" });
  const redact = (value: unknown, path: readonly string[]) => {
    if (path.at(-1) === "card") throw new Error("4417");
    return value;
  };
  const { shown, fetch, get } = serve({ redact });
  await app.invoke({ card: "4417", open: 1 }, { callbacks: [shown.handler] });
  const { runs } = await get<RunList>("runs");
  const text = await (await fetch(`runs/${runs[0]?.ref}`)).text();
  expect(text).not.toContain("4417");
  expect(text).toContain('"card":{"$":"masked"},"open":1');
});

it("shows a run that cannot be read, with its error, beside those that can", async () => {
  const store = memoryStore();
  const app = new Chain<string>()
    .append((text, ctx) => ctx.ask<string>("q", text), { key: "ask" })
    .compile({ name: "desk", store });
  await stop(app.invoke("a", { checkpointId: "good" }));
  await stop(app.invoke("b", { checkpointId: "bad" }));
  const version = (await store.get("bad"))?.version;
  const index = (await (store as Required<CheckpointStore>).runs({})).find(({ id }) => id === "bad");
  await store.put("bad", new TextEncoder().encode("{ broken"), version, index);
  const { get } = serve({ apps: { desk: app } });
  expect((await get<RunList>("runs")).runs.map(({ checkpointId }) => checkpointId).sort()).toEqual(["bad", "good"]);
  const { questions, errors } = await get<QuestionList>("questions");
  expect(questions).toMatchObject([{ run: { checkpointId: "good" } }]);
  expect(errors).toMatchObject([{ ref: "s.desk.bad", message: expect.any(String) }]);
  const view = await get<RunView>("runs/s.desk.bad");
  expect(view.run).toMatchObject({
    ...{ checkpointId: "bad", graph: "desk", status: "failed" },
    error: { code: "CHECKPOINT_UNREADABLE", message: expect.stringContaining("bad") },
  });
  expect(view.errors).toEqual([expect.stringMatching(/bad/)]);
  // once it was read, lists know it too, until it can be read again
  const ids = async (query: string) =>
    (await get<RunList>(`runs?${query}`)).runs.map(({ checkpointId }) => checkpointId);
  expect((await get<RunList>("runs")).runs.filter(({ checkpointId }) => checkpointId === "bad")).toEqual([view.run]);
  expect(await ids("status=failed")).toEqual(["bad"]);
  expect(await ids("status=waiting")).toEqual(["good"]);
  const good = await store.get("good");
  await store.put("bad", good?.data as Uint8Array, (await store.get("bad"))?.version, index);
  expect(await ids("status=waiting")).toEqual(["bad", "good"]);
  expect(await ids("status=failed")).toEqual([]);
});

it("says nothing of errors of authorize and onAnswer, whatever their class", async () => {
  const { KumikoError } = await import("kumiko");
  const failing = serve({
    authorize: () => {
      throw new KumikoError("STORE_FAILED", "users.internal is away");
    },
  });
  const response = await failing.fetch("about");
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("internal");
});
