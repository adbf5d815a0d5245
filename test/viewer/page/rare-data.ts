// What a page is shown seldom: long and hostile texts, failures, much of something, and nothing.
import { createTool, END, functionToolCall, Graph, START, traceRecorder, userMessage } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";
import type { QuestionView, RunRow, RunView, TurnView } from "../../../src/viewer/api.js";
import { runsOf, traceView } from "../../../src/viewer/trace-view.js";
import { recordedData } from "./recorded-server.js";

/** Markup, a control that turns the direction, and a word that has no place to break. */
export const hostile = "<img src=x onerror=window.pwned=1>\u202egnp.exe";
export const long = "correspondence_with_the_customer_about_the_asanoha_panel_of_hinoki_".repeat(3);
const said = `${hostile} ${long} and then some words that a model has said, of which there are many. `.repeat(3);

/** A run whose names, values and errors are long and hostile: an agent with a tool, a node that fails. */
export async function hostileView(): Promise<RunView> {
  const lookUp = createTool({
    id: `look_up_${long}`.slice(0, 64),
    description: said,
    inputSchema: z.object({ [hostile]: z.string() }),
    execute: () => ({ [hostile]: long, javascript: "javascript:window.pwned=2", site: `https://example.com/${long}` }),
  });
  const call = functionToolCall({ callId: "c-1", name: lookUp.id, arguments: JSON.stringify({ [hostile]: said }) });
  const agent = createAgent({
    name: `clerk_${long}`.slice(0, 64),
    model: scriptedModel([call], said),
    tools: [lookUp],
  });
  const app = new Graph<string, unknown>()
    .addNode(hostile, (text: string) => [userMessage(text + long)])
    .addNode(long, agent.graph)
    .addNode("fails", () => {
      throw new Error(`${said} postgres://me:pw@db/x`, { cause: new Error(said) });
    })
    .addEdge(START, hostile)
    .addEdge(hostile, long)
    .addEdge(long, "fails")
    .addEdge("fails", END)
    .compile({ name: `refunds ${hostile} ${long}` });
  const trace = traceRecorder();
  await app.invoke(said, { callbacks: [trace] }).catch(() => undefined);
  const recorded = trace.toJSON();
  const [[key = "", roots = []] = []] = [...runsOf(recorded)];
  return traceView(recorded, key, roots);
}

/** Every kind of field, most with texts that are too long. */
export function hostileQuestion(): QuestionView {
  const { waiting } = recordedData();
  const run = { ...waiting, graph: hostile, app: hostile, ref: "hostile", threadId: long, userId: hostile };
  const named = (more: object) => ({ title: `${hostile} ${long}`, description: said, ...more });
  const schema = {
    type: "object",
    properties: {
      [long]: { type: "string" },
      [hostile]: named({ enum: [hostile, long, "c", "d"] }),
      many: named({ enum: ["a", "b", "c", "d", hostile, long] }),
      sum: named({ type: "integer", minimum: 3, maximum: 9 }),
      day: { type: "string", format: "date", title: "Day" },
      sure: named({ type: "boolean" }),
      tags: { type: "array", title: "Tags", items: { type: "string" }, default: [hostile, long] },
      where: named({
        anyOf: [
          { type: "string", title: hostile },
          { type: "object", properties: { a: { type: "number" } } },
        ],
      }),
      version: { const: 2 },
      inner: {
        type: "object",
        title: "Inner",
        properties: { x: { type: "string", title: "X" }, y: { type: "number" } },
        required: ["x"],
      },
      rest: { title: "Rest", description: "Anything" },
    },
    required: ["sum", hostile],
  };
  const info = { title: said, url: `https://example.com/${long}`, [hostile]: { [long]: [1, said] } };
  return {
    id: "hostile",
    run,
    address: "hostile",
    path: `${long}/${hostile}`,
    kind: "ask",
    key: hostile,
    info: { value: info, size: 1 },
    schema: schema as never,
    askedAt: Date.now() - 90_000,
    expiresAt: Date.now() + 3_600_000,
    before: [{ role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text: said }] }],
  };
}

/** Rows of runs with long names. */
export function hostileRows(): RunRow[] {
  const { rows } = recordedData();
  const error = { name: hostile, message: said };
  return rows.map((row) => ({
    ...row,
    app: `${hostile}${long}`,
    checkpointId: long,
    threadId: `${hostile}${long}`,
    forkOf: long,
    error,
  }));
}

export function earlierTurns(): TurnView[] {
  const text = (role: string, words: string) => ({
    role,
    contentBlocks: [{ type: role === "user" ? "user_input_text" : "assistant_gen_text", text: words }],
  });
  return [1, 2, 3].map((turn) => ({
    turn,
    status: "done",
    prompt: [text("user", `Question ${turn} ${said}`)],
    messages: [text("assistant", said)],
  }));
}

/** A graph of so many nodes in a row. */
export function lineOf(count: number): Graph<number, number> {
  const graph = new Graph<number, number>();
  const edges = graph as { addEdge(from: string, to: string): void } & typeof graph;
  for (let n = 0; n < count; n++) graph.addNode(`n${n}`, (value: number) => value);
  for (let n = 1; n < count; n++) edges.addEdge(`n${n - 1}`, `n${n}`);
  edges.addEdge(START, "n0");
  edges.addEdge(`n${count - 1}`, END);
  return graph;
}

/** The run while it goes on: its last spans have not ended. */
export function runningView(): RunView {
  const { view } = recordedData();
  const [segment] = view.segments;
  const began = Date.now() - 2_000;
  const shift = began - (segment?.startedAt ?? 0);
  const spans = view.spans
    .filter(({ startedAt }) => startedAt + shift < began + 2_000)
    .map(({ endedAt = 0, ...span }) => {
      const isOver = endedAt + shift < began + 2_000;
      const startedAt = span.startedAt + shift;
      return isOver
        ? { ...span, startedAt, endedAt: endedAt + shift }
        : { ...span, startedAt, status: "running" as const };
    });
  const saves = (view.saves ?? []).filter(({ at }) => at + shift < began + 2_000);
  return {
    ...view,
    run: { ...view.run, ref: "running", status: "running", since: began },
    segments: [{ startedAt: began, status: "running" }],
    spans,
    saves: saves.map((save) => ({ ...save, at: save.at + shift })),
    questions: [],
  };
}
