import { gunzipSync } from "node:zlib";
import { Chain, Graph, memoryStore, START, traceRecorder } from "kumiko";
import type { Trace } from "kumiko/callbacks";
import { runPage } from "kumiko/viewer";
import { expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";

const counter = new Chain<string>().append((text) => text.length, { key: "count" }).compile({ name: "counter" });

async function traceOf(...inputs: string[]): Promise<Trace> {
  const trace = traceRecorder();
  for (const input of inputs) await counter.invoke(input, { callbacks: [trace] });
  return trace.toJSON();
}

/** What a page has in it. */
function dataOf(html: string): string {
  const packed = /<script type="text\/plain" id="data">([^<]*)</.exec(html)?.[1] ?? "";
  return gunzipSync(Buffer.from(packed, "base64")).toString();
}

it("writes one file that names nothing from elsewhere", async () => {
  const html = await runPage(await traceOf("hello"));
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).toContain("default-src 'none'");
  expect(html.replaceAll(/http:\/\/www\.w3\.org\/[\w/]+|https:\/\/opensource\.org\/license\/mit/g, "")).not.toMatch(
    /(?:src|href)="https?:/,
  );
  expect(JSON.parse(dataOf(html))).toMatchObject({
    view: {
      run: { graph: "counter", status: "finished" },
      spans: [{ path: "" }, { path: "count", status: "done", input: { value: "hello" }, output: { value: 5 } }],
    },
  });
});

it("masks secrets, and asks redact for all else", async () => {
  const app = new Chain<object>().append((value) => value, { key: "same" }).compile({ name: "same" });
  const trace = traceRecorder();
  await app.invoke({ Password: "hunter2", card: "4417", deep: { apiKey: "sk-1" } }, { callbacks: [trace] });
  const redact = (value: unknown, path: readonly string[]) => (path.at(-1) === "card" ? "•••" : value);
  const data = dataOf(await runPage(trace.toJSON(), { redact }));
  expect(data).not.toMatch(/hunter2|sk-1|4417/);
  expect(data).toContain("masked");
});

it("draws a saved run from its history, with its states", async () => {
  const app = new Graph<number, number>()
    .withState(() => ({ seen: 0 }))
    .addNode("add", (count: number, ctx) => {
      ctx.state.seen += 1;
      return count + 1;
    })
    .addEdge(START, "add")
    .addEdge("add", "end")
    .compile({ name: "adder", store: memoryStore(), history: true });
  await app.invoke(1, { checkpointId: "one" });
  const data = JSON.parse(dataOf(await runPage({ app, checkpointId: "one" })));
  expect(data.view.run).toMatchObject({ graph: "adder", status: "finished", checkpointId: "one" });
  expect(data.view.spans.map((span: { path: string }) => span.path)).toContain("add");
  expect(Object.values(data.states).at(-1)).toMatchObject({ state: { value: { seen: 1 } } });
});

it("refuses a trace of several runs, and what is no run", async () => {
  expect(await errorOf(runPage(await traceOf("a", "b")))).toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringContaining("the trace has 2 runs"),
  });
  expect(await errorOf(runPage(5 as never))).toMatchObject({ code: "INVALID_OPTION" });
  expect(await errorOf(runPage(await traceOf("a"), { redacts: 1 } as never))).toMatchObject({ code: "INVALID_OPTION" });
  expect(await errorOf(runPage({ version: 1, runs: [{}], graphs: {} } as never))).toMatchObject({
    code: "INVALID_TRACE",
  });
});
