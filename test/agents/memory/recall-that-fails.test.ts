import { memoryStore, textOf } from "kumiko";
import { createAgent, recall, threads } from "kumiko/agents";
import { memoryVectors, type VectorStore } from "kumiko/rag";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { eventsOf, failureOf } from "../agents.js";

type Work = () => unknown;
const embeds = async ({ values }: { readonly values: readonly string[] }) => ({
  embeddings: values.map((text) => [1, text.length]),
});

/** Where the memory is out of order, in whatever way. */
function broken(place: string, work: Work) {
  const whole = memoryVectors();
  const vectors = {
    createIndex: whole.createIndex.bind(whole),
    query: whole.query.bind(whole),
    upsert: whole.upsert.bind(whole),
    ...(place !== "doEmbed" && { [place]: work }),
  } as object as VectorStore;
  return { vectors, embedder: { modelId: "m", doEmbed: place === "doEmbed" ? (work as typeof embeds) : embeds } };
}

const inThread = { threadId: "t", userId: "ann" };
const ways: Record<string, Work> = {
  rejects: async () => Promise.reject(new Error("away")),
  throws: () => {
    throw new Error("away");
  },
  "rejects with nothing": async () => Promise.reject(undefined),
  "returns nothing": () => undefined,
  "returns rubbish": async () => "rubbish",
};
const places = ["doEmbed", "createIndex", "query", "upsert"];

describe.each(places)("a memory whose %s is broken", (place) => {
  it.each(Object.entries(ways))("fails no turn: it %s", async (way, work) => {
    const store = memoryStore();
    const events: string[] = [];
    const callbacks = [{ onEvent: (_info: unknown, event: object) => void events.push(JSON.stringify(event)) }];
    const agent = createAgent({
      model: scriptedModel("one", "two"),
      store,
      middleware: [recall(broken(place, work))],
      callbacks,
    });
    for (const text of ["one", "two"]) expect((await agent.generate("Hi", inThread)).text).toBe(text);
    const isTold = events.some((event) => event.includes("recall_failed"));
    // what an upsert returns is of no use to anybody
    const isHarmless = place === "upsert" && way.startsWith("returns");
    expect(isTold).toBe(!isHarmless);
  });

  it.each(["generate", "stream"] as const)(
    "and never ends holds no turn beyond its signal, nor loses any of it, with %s",
    async (how) => {
      const store = memoryStore();
      const stop = new AbortController();
      const hangs = (): Promise<never> => {
        stop.abort(new Error("enough"));
        return new Promise(() => undefined);
      };
      const make = (given: ReturnType<typeof broken>, ...script: string[]) => {
        return createAgent({ model: scriptedModel(...script), store, middleware: [recall(given)] });
      };
      const agent = make(broken(place, hangs), "one");
      const options = { ...inThread, signal: stop.signal };
      const failing = how === "generate" ? agent.generate("Hi", options) : eventsOf(agent.stream("Hi", options));
      expect((await failureOf(failing)).message).toContain("enough");
      const said = (await threads(store).messages("t")).map(textOf);
      // what was read of an answer stays
      expect(said).toEqual(place === "upsert" && how === "stream" ? ["Hi", "one"] : ["Hi"]);
      const after = make(broken("none", hangs), "two");
      expect((await after.generate("Ho", inThread)).text).toBe("two");
      expect((await threads(store).messages("t")).map(textOf)).toEqual([...said, "Ho", "two"]);
    },
  );
});
