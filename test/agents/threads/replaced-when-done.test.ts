import { type CheckpointStore, memoryStore } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { expect, it } from "vitest";

/** Does something once, when a turn is written as done, before whoever writes it hears of that. */
function whenDone(rows: CheckpointStore, work: () => Promise<unknown>): CheckpointStore {
  let isDone = false;
  const put = async (id: string, data: Uint8Array, ifVersion?: number) => {
    const version = await rows.put(id, data, ifVersion);
    if (!isDone && /\/\d{8}$/.test(id) && new TextDecoder().decode(data).includes('"status":"done"')) {
      isDone = true;
      await work();
    }
    return version;
  };
  return Object.assign(Object.create(rows), {
    put,
    get: rows.get.bind(rows),
    append: rows.append?.bind(rows),
    delete: rows.delete.bind(rows),
    list: rows.list.bind(rows),
  });
}

it.each([
  ["step", "generate"],
  ["step", "stream"],
  ["exit", "generate"],
  ["exit", "stream"],
  ["step", "segment"],
  ["exit", "segment"],
] as const)(
  "A turn that is replaced once it is done has given its answer (durability %s, %s)",
  async (durability, way) => {
    const rows = memoryStore();
    const agentOn = (store: CheckpointStore, answer: string) =>
      createAgent({ name: "a", store, durability, history: true, model: scriptedModel(answer) });
    const store = whenDone(rows, () => agentOn(rows, "Edited.").generate("Hi!", { threadId: "t", replaces: "turn-1" }));
    const agent = agentOn(store, "Done.");
    const options = { threadId: "t" };
    const run = {
      generate: () => agent.generate("Hi", options),
      stream: () => agent.stream("Hi", options).result,
      segment: async () => {
        const ended = await agent.segment({ threadId: "t", requestId: "r" }, { input: "Hi" });
        if (ended.status !== "finished") throw new Error(`It is ${ended.status}.`);
        return ended.output;
      },
    }[way];
    expect((await run()).text).toBe("Done.");
    const texts: string[] = [];
    for await (const { status, messages } of threads(rows).turns("t")) texts.push(`${status} ${messages.length}`);
    expect(texts).toEqual(["done 2"]);
    expect(JSON.stringify(await threads(rows).messages("t"))).toContain("Edited.");
  },
);
