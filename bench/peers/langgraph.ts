import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, Command, END, interrupt, MemorySaver, Send, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { type Call, type Contender, numberSchema, type Run, type Step, weather } from "../contender.js";

const Value = Annotation.Root({ value: Annotation<number> });
type Value = typeof Value.State;

const Sum = Annotation.Root({
  value: Annotation<number>,
  sum: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
});

const noOperation = { handleChainStart() {}, handleChainEnd() {} };

export const langgraph: Contender = {
  name: "LangGraph",
  chain: (steps) => runOf(lineOf(steps), { recursionLimit: steps.length + 1 }),
  checkedChain: (steps) => runOf(lineOf(checked(steps)), { recursionLimit: steps.length + 1 }),
  guardedChain: (steps) => runOf(lineOf(steps, { retryPolicy }), { recursionLimit: steps.length + 1 }),
  savedChain: (steps) => savedRunOf(lineOf(steps, {}, new MemorySaver()), steps.length + 1),
  retried: (step) => runOf(lineOf([step], { retryPolicy }), {}),
  items: (step, list) => {
    const run = itemsOf(step);
    return () => run(list, {});
  },
  savedItems: (step, list) => {
    const saver = new MemorySaver();
    const run = itemsOf(step, saver);
    let runs = 0;
    return async () => {
      const thread = `run-${++runs}`;
      const results = await run(list, { configurable: { thread_id: thread } });
      await saver.deleteThread(thread);
      return results;
    };
  },
  watchedChain: (steps) => runOf(lineOf(steps), { callbacks: [noOperation] }),
  fanOut,
  each,
  loop: (step, last) => runOf(loopOf(step, last).compile(), { recursionLimit: last + 1 }),
  branches,
  tools,
  build: (step, count) => runOf(lineOf(Array.from({ length: count }, () => step)), { recursionLimit: count + 1 }),
  askAndResume,
  savedLoop,
};

const nodeOf =
  (step: Step) =>
  async ({ value }: Value) => ({ value: await step(value) });

/** At once, and without a line on the console. */
const retryPolicy = { maxAttempts: 3, initialInterval: 0, jitter: false, logWarning: false };

function checked(steps: readonly Step[]): Step[] {
  return steps.map((step) => (value) => step(numberSchema.parse(value)));
}

function lineOf(steps: readonly Step[], options: object = {}, checkpointer?: MemorySaver) {
  const graph = new StateGraph(Value) as StateGraph<typeof Value.spec, Value, typeof Value.Update, string>;
  steps.forEach((step, n) => {
    graph.addNode(`n${n}`, nodeOf(step), options).addEdge(n === 0 ? START : `n${n - 1}`, `n${n}`);
  });
  return graph.addEdge(`n${steps.length - 1}`, END).compile(checkpointer && { checkpointer });
}

function savedRunOf(graph: ReturnType<typeof lineOf>, recursionLimit: number): Run {
  const checkpointer = graph.checkpointer as MemorySaver;
  let runs = 0;
  return async (input) => {
    const thread = `run-${++runs}`;
    const { value } = await graph.invoke({ value: input }, { recursionLimit, configurable: { thread_id: thread } });
    await checkpointer.deleteThread(thread);
    return value;
  };
}

/** Results come in the order in which the items were sent. */
function itemsOf(step: Step, checkpointer?: MemorySaver) {
  const List = Annotation.Root({
    list: Annotation<readonly number[]>,
    item: Annotation<number>,
    results: Annotation<number[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  });
  const graph = new StateGraph(List)
    .addNode("step", async ({ item }: typeof List.State) => ({ results: [await step(item)] }))
    .addConditionalEdges(START, ({ list }) => list.map((item) => new Send("step", { item })))
    .addEdge("step", END)
    .compile(checkpointer && { checkpointer });
  return async (list: readonly number[], options: object) => (await graph.invoke({ list }, options)).results;
}

function runOf(graph: ReturnType<typeof lineOf>, options: object): Run {
  return async (input) => (await graph.invoke({ value: input }, options)).value;
}

function fanOut(parts: readonly Step[]): Run {
  const graph = new StateGraph(Sum) as StateGraph<typeof Sum.spec, typeof Sum.State, typeof Sum.Update, string>;
  const names = parts.map((_, n) => `part${n}`);
  parts.forEach((part, n) => {
    graph.addNode(`part${n}`, async ({ value }) => ({ sum: await part(value) })).addEdge(START, `part${n}`);
  });
  const compiled = graph
    .addNode("join", () => ({}))
    .addEdge(names, "join")
    .addEdge("join", END)
    .compile();
  return async (input) => (await compiled.invoke({ value: input })).sum;
}

function each(step: Step, count: number, limit: number): () => Promise<number> {
  const inputs = Array.from({ length: count }, (_, n) => n);
  const graph = new StateGraph(Sum)
    .addNode("step", async ({ value }: typeof Sum.State) => ({ sum: await step(value) }))
    .addConditionalEdges(START, () => inputs.map((value) => new Send("step", { value })))
    .addEdge("step", END)
    .compile();
  return async () => (await graph.invoke({ value: 0 }, { maxConcurrency: limit })).sum;
}

function loopOf(step: Step, last: number) {
  return new StateGraph(Value)
    .addNode("step", nodeOf(step))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ value }) => (value < last ? "step" : END), ["step", END]);
}

function branches(odd: Step, even: Step, count: number): Run {
  const graph = new StateGraph(Value) as StateGraph<typeof Value.spec, Value, typeof Value.Update, string>;
  const chooseAt = (n: number) =>
    [({ value }: Value) => (value % 2 === 1 ? `odd${n}` : `even${n}`), [`odd${n}`, `even${n}`]] as const;
  for (let n = 0; n < count; n++) {
    graph.addNode(`odd${n}`, nodeOf(odd)).addNode(`even${n}`, nodeOf(even));
    for (const from of n === 0 ? [START] : [`odd${n - 1}`, `even${n - 1}`]) {
      const [choose, targets] = chooseAt(n);
      graph.addConditionalEdges(from, choose, [...targets]);
    }
  }
  graph.addEdge(`odd${count - 1}`, END).addEdge(`even${count - 1}`, END);
  return runOf(graph.compile(), {});
}

/** Models give the arguments of a call as text; the model classes of LangChain parse it. */
function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const { name, description, schema, execute } = weather;
  const node = new ToolNode<{ messages: BaseMessage[] }>([tool(execute, { name, description, schema })]);
  return async () => {
    const asked = calls.map(({ id, arguments: text }) => ({
      id,
      name,
      args: JSON.parse(text),
      type: "tool_call" as const,
    }));
    const { messages } = await node.invoke({ messages: [new AIMessage({ content: "", tool_calls: asked })] });
    return messages.map(({ content }: BaseMessage) => content);
  };
}

function askAndResume(): Run {
  const checkpointer = new MemorySaver();
  const graph = new StateGraph(Value)
    .addNode("ask", ({ value }) => ({ value: value + interrupt<string, number>("sure?") }))
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile({ checkpointer });
  let runs = 0;
  return async (input) => {
    const thread = `run-${++runs}`;
    const options = { configurable: { thread_id: thread } };
    await graph.invoke({ value: input }, options);
    const { value } = await graph.invoke(new Command({ resume: 1 }), options);
    await checkpointer.deleteThread(thread);
    return value;
  };
}

function savedLoop(step: Step, last: number): Run {
  return savedRunOf(loopOf(step, last).compile({ checkpointer: new MemorySaver() }) as never, last + 1);
}
