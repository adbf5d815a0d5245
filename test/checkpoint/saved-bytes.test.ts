import { type CheckpointStore, END, Graph, isInterrupt, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";

interface Message {
  readonly role: string;
  readonly text: string;
}

const sentence = (n: number, words: number): string =>
  Array.from({ length: words }, (_, k) => `word${n}-${k}`).join(" ");

/** All that is stored under ids with this prefix. */
async function textsIn(store: CheckpointStore, prefix: string): Promise<string> {
  const decoder = new TextDecoder();
  let all = "";
  for await (const id of store.list(prefix)) {
    const row = await store.get(id);
    for (const bytes of [row?.data ?? new Uint8Array(), ...(row?.appended ?? [])]) all += decoder.decode(bytes);
  }
  return all;
}

/** Answers and asks for the next message, again and again: each turn is a resume. */
async function chat(store: CheckpointStore, turns: number): Promise<readonly Message[]> {
  const said: Message[] = [];
  const app = new Graph<Message, Message>()
    .withState(() => ({ messages: [] as Message[] }))
    .addNode("answer", (message: Message, ctx) => {
      const own = { role: "assistant", text: sentence(said.length, 100) };
      ctx.state.messages.push(message, own);
      said.push(message, own);
      return own;
    })
    .addNode("next", (_answer: Message, ctx) => ctx.ask<Message>("message", "And now?"))
    .addEdge(START, "answer")
    .addEdge("answer", "next")
    .addBranch("next", ["answer", END], () => "answer")
    .compile({ store, history: true, maxSteps: 10 * turns });
  let run = app.invoke({ role: "user", text: sentence(0, 20) }, { checkpointId: "chat" });
  for (let turn = 1; turn <= turns; turn++) {
    const stop: unknown = await run.catch((error: unknown) => error);
    if (!isInterrupt(stop)) throw stop;
    if (turn === turns) break;
    run = app.resume("chat", { [stop.interrupts[0].id]: { role: "user", text: sentence(said.length, 20) } });
  }
  return said;
}

describe("What is stored", () => {
  it.each([40, 60, 200])("of a chat of %d turns with its history is less than three times the chat", async (turns) => {
    const store = memoryStore();
    const said = await chat(store, turns);
    const stored = (await textsIn(store, "")).length + (await textsIn(store, "~")).length;
    expect(said).toHaveLength(2 * turns);
    expect(stored / JSON.stringify(said).length).toBeLessThan(3);
  });

  it("of a run that has finished says its result once, wherever else that is", async () => {
    const store = memoryStore();
    const app = new Graph<string, Message>()
      .withState(() => ({ log: [] as unknown[], text: "" }))
      .addNode("write", (_topic: string, ctx) => {
        const message = { role: "assistant", text: sentence(1, 400) };
        ctx.state.log.push({ message });
        ctx.state.text = message.text;
        return message;
      })
      .addEdge(START, "write")
      .addEdge("write", END)
      .compile({ store, durability: "step", history: true });
    const result = await app.invoke("a topic", { checkpointId: "run" });
    expect((await textsIn(store, "")).split(result.text)).toHaveLength(2);
    expect(await textsIn(store, "~")).toBe("");
    const { output, state } = await app.stateAt("run");
    expect(output()).toEqual(result);
    expect(state()).toEqual({ log: [{ message: result }], text: result.text });
  });

  it("of an answer is the answer once, and a question that was answered before is not written again", async () => {
    const store = memoryStore();
    const app = new Graph<string, string>()
      .addNode("ask", async (_topic: string, ctx) => {
        const answers: string[] = [];
        for (const key of ["a", "b", "c", "d"]) answers.push(await ctx.ask<string>(key, "?"));
        return answers.join();
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ store, keepCheckpoint: true, durability: "step" });
    let run = app.invoke("a topic", { checkpointId: "run" });
    for (let n = 0; n < 4; n++) {
      const stop: unknown = await run.catch((error: unknown) => error);
      if (!isInterrupt(stop)) throw stop;
      expect((await textsIn(store, "")).split(sentence(0, 20)).length).toBe(n === 0 ? 1 : 2);
      run = app.resume("run", { [stop.interrupts[0].id]: sentence(n, 20) });
    }
    expect(await run).toBe([0, 1, 2, 3].map((n) => sentence(n, 20)).join());
  });
});
