import { expect, it } from "vitest";
import { createAgent } from "../../src/agents/create-agent.js";
import { threads } from "../../src/agents/threads.js";
import { type CheckpointStore, memoryStore } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";

/** Calls back once, after the first turn of the thread was written as done. */
function afterDone(store: CheckpointStore, done: () => Promise<void>): CheckpointStore {
  let isCalled = false;
  return {
    get: (id) => store.get(id),
    delete: (id, ifVersion) => store.delete(id, ifVersion),
    list: (prefix) => store.list(prefix),
    append: (id, data, ifVersion) => store.append?.(id, data, ifVersion) ?? Promise.reject(new Error("no append")),
    put: async (id, data, ifVersion) => {
      const version = await store.put(id, data, ifVersion);
      const isDone = id === "~thread/t/00000001" && new TextDecoder().decode(data).includes('"status":"done"');
      if (isDone && !isCalled) {
        isCalled = true;
        await done();
      }
      return version;
    },
  };
}

it("a turn that begins while the run of the one before it is being ended leaves that run alone", async () => {
  const store = memoryStore();
  const second = createAgent({ model: scriptedModel("two"), store });
  const watched = afterDone(store, async () => {
    expect((await second.generate("b", { threadId: "t" })).text).toBe("two");
  });
  const first = createAgent({ model: scriptedModel("one"), store: watched });
  expect((await first.generate("a", { threadId: "t" })).text).toBe("one");
  const messages = await threads(store).messages("t");
  expect(messages).toHaveLength(4);
  const left: string[] = [];
  for await (const id of store.list("~thread/t/")) left.push(id);
  expect(left).toEqual(["~thread/t/00000001", "~thread/t/00000002"]);
});
