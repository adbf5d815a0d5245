import {
  AgenticToolsNode,
  type AgenticToolsNodeConfig,
  assistantMessage,
  asTool,
  Chain,
  createTool,
  functionToolCall,
  isInterrupt,
  memoryStore,
} from "kumiko";
import type { ExecuteResult } from "kumiko/components";
import type { Scenarios } from "./scenario.js";

const MILLION = 1_000_000;

const message = assistantMessage([functionToolCall({ callId: "1", name: "measure", arguments: '{"city":"Ulm"}' })]);
const twoCalls = assistantMessage(
  ["1", "2"].map((callId) => functionToolCall({ callId, name: "measure", arguments: '{"city":"Ulm"}' })),
);

/** Calls of tools, also such as do not end well. */
export const toolScenarios: Scenarios = {
  "tool call": { times: MILLION, prepare: () => calls(async () => 3) },
  "tool call with a time limit": { times: MILLION, prepare: () => calls(async () => 3, { timeoutMs: 60_000 }) },
  "tool call with one signal for all": { times: MILLION / 10, prepare: withSignal },
  "tool call that fails, told to the model": {
    times: MILLION / 10,
    prepare: () => calls(fail, { onToolError: "result" }),
  },
  "100 tool calls that run out of time": { times: MILLION / 500, prepare: timedOut },
  "tool calls, streamed and left early": { times: MILLION / 10, prepare: leftEarly },
  "tool that is a graph": { times: MILLION / 10, prepare: graphAsTool },
  "tool call that waits for approval, and is resumed": { times: MILLION / 20, prepare: approved },
  "tool that is made anew, with a JSON Schema": { times: MILLION / 20, prepare: () => newTool(() => "city") },
  "tool that is made anew, with a JSON Schema like no other": {
    times: 16_000,
    onlyInFull: true,
    prepare: () => newTool(counter()),
  },
};

async function fail(): Promise<number> {
  throw new Error("no");
}

type Config = Omit<AgenticToolsNodeConfig, "tools">;

function nodeOf(execute: () => ExecuteResult<undefined>, config: Config = {}): AgenticToolsNode {
  const tool = createTool({ id: "measure", description: "Measures a name.", execute });
  return new AgenticToolsNode({ tools: [tool], ...config });
}

function calls(execute: () => unknown, config?: Config) {
  const node = nodeOf(execute, config);
  return () => node.invoke(message);
}

function withSignal() {
  const tool = createTool({
    id: "measure",
    description: "Measures a name.",
    execute: async (_, { signal }) => signal.aborted,
  });
  const node = new AgenticToolsNode([tool]);
  const { signal } = new AbortController();
  return () => node.invoke(message, { signal });
}

/** Many at once: each of them waits for a timer. */
function timedOut() {
  const tool = createTool({
    id: "measure",
    description: "Measures a name.",
    execute: (_, { signal }) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const node = new AgenticToolsNode({ tools: [tool], timeoutMs: 1, onToolError: "result" });
  return () => Promise.all(Array.from({ length: 100 }, () => node.invoke(message)));
}

function leftEarly() {
  const node = nodeOf(async function* () {
    yield "a";
    yield "b";
  });
  const { signal } = new AbortController();
  return async () => {
    for await (const _ of node.stream(twoCalls, { signal })) break;
  };
}

function graphAsTool() {
  const graph = new Chain<Record<string, unknown>>().append(async ({ city }) => String(city).length).compile();
  const tool = asTool(graph, { id: "measure", description: "Measures a name.", inputSchema: { type: "object" } });
  const node = new AgenticToolsNode([tool]);
  const options = { signal: new AbortController().signal, callbacks: [{ onStart() {}, onEnd() {} }] };
  return () => node.invoke(message, options);
}

function approved() {
  const tool = createTool({
    id: "measure",
    description: "Measures a name.",
    requireApproval: true,
    execute: async () => 3,
  });
  const node = new AgenticToolsNode([tool]);
  const chain = new Chain<typeof message>().appendToolsNode(node).compile({ store: memoryStore() });
  return async () => {
    const error = await chain.invoke(message, { checkpointId: "one" }).catch((thrown: unknown) => thrown);
    if (!isInterrupt(error)) throw error;
    await chain.resume("one", { [error.interrupts[0]?.id ?? ""]: { approved: true } });
  };
}

function counter() {
  let count = 0;
  return () => `city${++count}`;
}

function newTool(nextName: () => string) {
  return () => {
    const name = nextName();
    const tool = createTool({
      id: "measure",
      description: "Measures a name.",
      inputSchema: { type: "object", properties: { [name]: { type: "string" } } },
      execute: async () => 3,
    });
    return new AgenticToolsNode([tool]).invoke(message);
  };
}
