import { assistantMessage, type CheckpointStore, memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { expect, it } from "vitest";

/** A store that calls back at the first write after `isDue`. */
function watched(inner: CheckpointStore, isDue: () => boolean, onWrite: () => void): CheckpointStore {
  const write = <T>(work: () => Promise<T>): Promise<T> => {
    if (isDue()) onWrite();
    return work();
  };
  return {
    get: (id) => inner.get(id),
    put: (id, data, ifVersion) => write(() => inner.put(id, data, ifVersion)),
    append: (id, data, ifVersion) => write(async () => (await inner.append?.(id, data, ifVersion)) ?? Number.NaN),
    delete: (id, ifVersion) => inner.delete(id, ifVersion),
    list: (prefix) => inner.list(prefix),
  };
}

it.each(["resume", "resumeStream"] as const)("an answer that was saved is not paid again by %s", async (how) => {
  const left = new Error("The caller left.");
  const stop = new AbortController();
  let calls = 0;
  const model = {
    component: "model" as const,
    async generate() {
      calls += 1;
      return assistantMessage("Hello there");
    },
    async *stream() {
      yield await model.generate();
    },
  };
  const store = watched(
    memoryStore(),
    () => calls > 0,
    () => stop.abort(left),
  );
  const agent = createAgent({ model, store });
  await expect(agent.generate("Hi", { threadId: "t", signal: stop.signal })).rejects.toBe(left);
  const target = { threadId: "t" };
  const { text } = await (how === "resume" ? agent.resume(target) : agent.resumeStream(target).result);
  expect([text, calls]).toEqual(["Hello there", 1]);
});
