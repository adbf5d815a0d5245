import { Chain, createTool, END, each, functionToolCall, Graph, START, traceRecorder } from "kumiko";
import { createAgent } from "kumiko/agents";
import type { GraphInfo } from "kumiko/compose";
import { toSvg } from "kumiko/svg";
import { scriptedModel } from "kumiko/testing";

/** The pictures of docs/pictures.md, by the names of their files. */
export const pictures: Readonly<Record<string, () => Promise<string>>> = {
  agent: drawAgent,
  "agent-trace": drawAgentTrace,
  retrieval: async () => toSvg(retrieval.compile({ triggerMode: "allPredecessor" })),
  "nested-trace": drawNestedTrace,
  workflow: async () => toSvg(workflow),
  "workflow-dark": async () => toSvg(workflow, { theme: "dark" }),
  "forty-nodes": async () => toSvg(fortyNodes()),
};

const weather = createTool({ id: "get_weather", description: "Current weather.", execute: () => "21 °C" });

function newAgent() {
  const call = functionToolCall({ callId: "1", name: "get_weather", arguments: "{}" });
  return createAgent({ name: "assistant", model: scriptedModel([call], "It has 21 °C."), tools: [weather] });
}

async function drawAgent(): Promise<string> {
  return toSvg(newAgent().graph);
}

/** The model is asked twice, and its tools run once. */
async function drawAgentTrace(): Promise<string> {
  const agent = newAgent();
  const trace = traceRecorder();
  await agent.generate("How warm is it?", { callbacks: [trace] });
  return toSvg(agent.graph, { trace: trace.toJSON() });
}

interface Passage {
  readonly text: string;
}

const passages: readonly Passage[] = [{ text: "Kumiko joins wood without nails." }];
const asked = (question: string): string => question;

const retrieval = new Graph<string, string>()
  .addNode("question", asked, { outputKey: "question" })
  .addNode("by meaning", { component: "retriever", retrieve: async (_query: string) => passages })
  .addNode("by words", { component: "retriever", retrieve: async (_query: string) => passages })
  .addNode("rank", (found: readonly Passage[]) => found, {
    outputKey: "passages",
    merge: (lists) => lists.flat(),
  })
  .addNode("prompt", (parts: { question: string; passages: readonly Passage[] }) => JSON.stringify(parts))
  .addNode("answer", { component: "model", generate: async (prompt: string) => prompt, stream: () => [] })
  .addEdge(START, "question")
  .addEdge(START, "by meaning")
  .addEdge(START, "by words")
  .addEdge("by meaning", "rank")
  .addEdge("by words", "rank")
  .addEdge("question", "prompt")
  .addEdge("rank", "prompt")
  .addEdge("prompt", "answer")
  .addEdge("answer", END);

const research = new Chain<string>()
  .append((topic) => [topic, `${topic}, its history`], { key: "plan" })
  .append(
    each((query) => `found: ${query}`),
    { key: "search" },
  )
  .append((notes) => notes.join("\n"), { key: "summarize" });

const draft = new Graph<string, string>()
  .addNode("write", (notes: string) => `${notes}.`)
  .addNode("check", (text: string) => ({ text, isGood: text.length > 3 }))
  .addNode("release", ({ text }: { text: string }) => text)
  .addEdge(START, "write")
  .addEdge("write", "check")
  .addBranch("check", ["write", "release"] as never, ({ isGood }) => (isGood ? "release" : "write") as never)
  .addEdge("release", END);

const nested = new Graph<string, string>()
  .addNode("research", research)
  .addNode("draft", draft)
  .addNode("ask a person", (text: string) => text)
  .addNode("publish", (text: string) => text.toUpperCase())
  .addEdge(START, "research")
  .addEdge("research", "draft")
  .addBranch("draft", ["publish", "ask a person"], (text) => (text.includes("found") ? "publish" : "ask a person"))
  .addEdge("ask a person", "publish")
  .addEdge("publish", END);

async function drawNestedTrace(): Promise<string> {
  const app = nested.compile({ name: "article" });
  const trace = traceRecorder();
  await app.invoke("kumiko", { callbacks: [trace] });
  return toSvg(app, { trace: trace.toJSON() });
}

const node = (key: string, component: GraphInfo["nodes"][number]["component"] = "lambda") => ({ key, component });
const data = (from: string, to: string, label?: string) =>
  label === undefined ? ({ from, to, kind: "data" } as const) : ({ from, to, kind: "data", label } as const);

/** A mail comes in, and an order is changed, refunded or passed on. */
const workflow: GraphInfo = {
  name: "support",
  component: "graph",
  nodes: [
    node("read"),
    node("classify", "model"),
    node("find order", "retriever"),
    node("find customer", "retriever"),
    node("change"),
    node("refund"),
    node("complain"),
    node("pay back"),
    node("pay by hand"),
    node("note"),
    node("write", "model"),
    node("send"),
  ],
  edges: [
    data("start", "read", "mail"),
    data("read", "classify", "text → prompt"),
    data("read", "find order", "orderId → query"),
    data("read", "find customer", "from → query"),
    ...(["change", "refund", "complain"] as const).map(
      (to) => ({ from: "classify", to, kind: "branch", label: to }) as const,
    ),
    data("find order", "change", "items"),
    data("find order", "refund", "total → amount"),
    data("find customer", "refund", "iban"),
    data("refund", "pay back", "amount"),
    data("refund", "pay back", "iban"),
    { from: "pay back", to: "pay by hand", kind: "error" },
    data("pay back", "note", "receipt"),
    data("pay by hand", "note", "ticket"),
    data("complain", "write", "text → complaint"),
    data("change", "write", "text → change"),
    data("note", "write", "text → refund"),
    data("find customer", "write", "name"),
    data("write", "send", "mail"),
    { from: "note", to: "send", kind: "control" },
    data("send", "end", "id"),
  ],
};

/** Eight steps of five nodes, each of which needs two of the step before. */
function fortyNodes() {
  const width = 5;
  const graph = new Graph<number, number>().untyped();
  graph.addNode("join", (count: number) => count, {
    merge: (counts: readonly number[]) => Math.max(...counts),
  });
  let before = Array.from({ length: width }, (): string => START);
  for (let step = 0; step < 8; step++) {
    const now = before.map((_, place) => `step ${step + 1}.${place + 1}`);
    now.forEach((key, place) => {
      graph.addNode(key, (count: number) => count + 1, {
        merge: (counts: readonly number[]) => Math.max(...counts),
      });
      graph.addEdge(before[place] ?? START, key);
      if (step > 0) graph.addEdge(before[(place + 1) % width] ?? START, key);
    });
    before = now;
  }
  for (const key of before) graph.addEdge(key, "join");
  graph.addEdge("join", END);
  return graph.compile({ triggerMode: "allPredecessor" });
}
