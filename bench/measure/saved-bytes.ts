import {
  type AgenticMessage,
  type AgenticModel,
  AgenticToolsNode,
  assistantMessage,
  type CheckpointStore,
  createTool,
  END,
  functionToolCall,
  Graph,
  isInterrupt,
  memoryStore,
  START,
  StreamReader,
  toolCallsOr,
  userMessage,
} from "kumiko";
import type { Row } from "../report/row.js";

/** What runs leave in a store, in bytes: the same each time. */
export async function savedBytesRows(): Promise<Row[]> {
  const agent = await agentBytes(1_200);
  const chats = [await chatBytes(200), await chatBytes(1_000)];
  return [
    row("agent-bytes", 'an agent of 1,200 turns, durability "step": all that is written', 4, [
      ["its last document", agent.last],
      ["kumiko", agent.written],
    ]),
    ...[200, 1_000].map((turns, n) =>
      row(
        `history-${turns}`,
        `a chat of ${turns.toLocaleString("en")} turns (1 kB each) with its history, as it is stored`,
        3,
        [
          ["the messages", chats[n]?.messages ?? Number.NaN],
          ["kumiko", chats[n]?.stored ?? Number.NaN],
        ],
      ),
    ),
  ];
}

function row(id: string, title: string, atMost: number, figures: readonly (readonly [string, number])[]): Row {
  const base = figures[0]?.[1] ?? Number.NaN;
  const cells = figures.map(([contender, value]) => ({ contender, value, ratio: value / base }));
  return { id, title, unit: "bytes", cells, target: { contender: "kumiko", of: "ratio", atMost } };
}

/** Counts what is written. */
function counting(store: CheckpointStore): { readonly store: CheckpointStore; bytes: number; last: number } {
  const counted = { store, bytes: 0, last: 0 };
  const put: CheckpointStore["put"] = (id, data, ifVersion) => {
    counted.bytes += data.length;
    if (!id.startsWith("~")) counted.last = data.length;
    return store.put(id, data, ifVersion);
  };
  const append: CheckpointStore["append"] = (id, data, ifVersion) => {
    counted.bytes += data.length;
    return store.append?.(id, data, ifVersion) ?? Promise.reject(new Error("The store does not append."));
  };
  counted.store = { ...bound(store), put, append };
  return counted;
}

const bound = (store: CheckpointStore): CheckpointStore => ({
  get: (id) => store.get(id),
  put: (id, data, ifVersion) => store.put(id, data, ifVersion),
  delete: (id, ifVersion) => store.delete(id, ifVersion),
  list: (prefix) => store.list(prefix),
});

/** A model that calls a tool in each turn, and keeps all messages in its state. */
async function agentBytes(turns: number): Promise<{ readonly written: number; readonly last: number }> {
  const look = createTool({
    id: "look",
    description: "Looks something up.",
    inputSchema: { type: "object", properties: { page: { type: "number" } } },
    execute: ({ page }: { readonly page: number }) => `${sentence(page)} ${sentence(page + 1)}`,
  });
  const tools = new AgenticToolsNode([look]);
  let turn = 0;
  const answer = (): AgenticMessage => {
    turn++;
    if (turn > turns) return assistantMessage("done");
    return assistantMessage([
      functionToolCall({ callId: `call-${turn}`, name: "look", arguments: JSON.stringify({ page: turn }) }),
    ]);
  };
  const model: AgenticModel = {
    component: "model",
    generate: async () => answer(),
    stream: () => StreamReader.from([answer()]),
  };
  const counted = counting(memoryStore());
  const app = new Graph<AgenticMessage[], AgenticMessage>()
    .withState(() => ({ messages: [] as AgenticMessage[] }))
    .addModelNode("model", model, {
      before: (input, state) => {
        state.messages.push(...input);
        return [...state.messages];
      },
    })
    .addToolsNode("tools", tools, {
      before: (message, state) => {
        state.messages.push(message);
        return message;
      },
    })
    .addEdge(START, "model")
    .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END))
    .addEdge("tools", "model")
    .compile({ store: counted.store, durability: "step", maxSteps: 2 * turns + 10, keepCheckpoint: true });
  await app.invoke([userMessage("Look at all pages.")], { checkpointId: "agent" });
  const stored = await counted.store.get("agent");
  const entries = stored?.appended ?? [];
  return {
    written: counted.bytes,
    last: (stored?.data.length ?? 0) + entries.reduce((sum, { length }) => sum + length, 0),
  };
}

/** A graph that answers and then asks for the next message: each turn is a resume. */
async function chatBytes(turns: number): Promise<{ readonly stored: number; readonly messages: number }> {
  const store = memoryStore();
  const messages: AgenticMessage[] = [];
  const app = new Graph<AgenticMessage, AgenticMessage>()
    .withState(() => ({ messages: [] as AgenticMessage[] }))
    .addNode("answer", (message: AgenticMessage, ctx) => {
      const count = ctx.state.messages.length;
      const own = assistantMessage(Array.from({ length: 8 }, (_, n) => sentence(count + n)).join(" "));
      ctx.state.messages.push(message, own);
      messages.push(message, own);
      return own;
    })
    .addNode("next", (_answer: AgenticMessage, ctx) => ctx.ask<AgenticMessage>("message", "And now?"))
    .addEdge(START, "answer")
    .addEdge("answer", "next")
    .addBranch("next", ["answer", END], () => "answer")
    .compile({ store, history: { last: 1_000_000 }, maxSteps: 10 * turns });
  let next = app.invoke(userMessage(sentence(0)), { checkpointId: "chat" });
  for (let turn = 1; turn < turns; turn++) {
    const error: unknown = await next.catch((thrown: unknown) => thrown);
    if (!isInterrupt(error)) throw error;
    next = app.resume("chat", { [error.interrupts[0]?.id ?? ""]: userMessage(sentence(turn)) });
  }
  await next.catch(() => undefined);
  let stored = 0;
  for (const prefix of ["", "~"]) {
    for await (const id of store.list(prefix)) {
      const row = await store.get(id);
      stored += (row?.data.length ?? 0) + (row?.appended ?? []).reduce((sum, { length }) => sum + length, 0);
    }
  }
  return { stored, messages: JSON.stringify(messages).length };
}

/** Of the length of what people write, each time another. */
function sentence(n: number): string {
  const words = "the lattice holds because each small piece is fitted into the next one without any nails at all".split(
    " ",
  );
  return words.map((word, index) => `${word}${(n * 31 + index * 7) % 97}`).join(" ");
}
