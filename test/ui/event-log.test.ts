import { type CheckpointStore, memoryStore, pipe, StreamReader, textOf } from "kumiko";
import { type AgentEvent, createAgent, threads } from "kumiko/agents";
import { scriptedModel, simulate } from "kumiko/testing";
import { eventLog, sse, uiMessageStream } from "kumiko/ui";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dataOf, numbered, streamOf, usage, weatherRun } from "./hand-made.js";

const events = numbered(weatherRun);

async function all(stream: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const list: AgentEvent[] = [];
  for await (const event of stream) list.push(event);
  return list;
}

async function keysOf(store: CheckpointStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list("~")) keys.push(key);
  return keys;
}

/** A run that goes on when the test says so. */
function slowRun(run = "run-1") {
  const { reader, writer } = pipe<AgentEvent>();
  const list = numbered(weatherRun, run);
  return {
    stream: reader,
    tell: async (count: number) => {
      for (const event of list.splice(0, count)) await writer.write(event);
      if (list.length === 0) writer.close();
    },
  };
}

describe("a recorded run", () => {
  it("is read like the run itself", async () => {
    const log = eventLog(memoryStore());
    expect(await all(log.record("u-1", streamOf(events)))).toEqual(events);
  });

  it("goes on when its client leaves, and is there for the next one", async () => {
    const log = eventLog(memoryStore());
    const run = slowRun();
    const response = await sse(log.record("u-1", run.stream));
    const reader = response.body?.getReader();
    await run.tell(2);
    await reader?.read();
    await reader?.cancel();
    const again = all(log.replay("u-1"));
    await run.tell(100);
    expect(await again).toEqual(events);
  });

  it("goes on where a client was, by the id of the last event it has", async () => {
    const log = eventLog(memoryStore());
    const text = await (await sse(log.record("u-1", streamOf(events)))).text();
    const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    for (const [index, id] of ids.entries()) {
      expect(await all(log.replay("u-1", { after: id ?? null }))).toEqual(events.slice(index + 1));
    }
  });

  it.each([[undefined], [null], [""], ["other:3"], ["run-1"], [":2"], ["run-1:x"]])(
    "is given whole after %j, which is none of its ids",
    async (after) => {
      const log = eventLog(memoryStore());
      await all(log.record("u-1", streamOf(events)));
      expect(await all(log.replay("u-1", { after }))).toEqual(events);
    },
  );

  it("can be read in another process: what was, and then what comes", async () => {
    const store = memoryStore();
    const run = slowRun();
    void all(eventLog(store).record("u-1", run.stream));
    await run.tell(5);
    await expect.poll(() => eventLog(store).isOpen("u-1")).toBe(true);
    const elsewhere = eventLog(store).replay("u-1", { after: "run-1:1" });
    const first = await elsewhere[Symbol.asyncIterator]().next();
    expect(first.value).toEqual(events[2]);
    await run.tell(100);
    const rest: AgentEvent[] = [];
    for (let next = await elsewhere.next(); next.done !== true; next = await elsewhere.next()) rest.push(next.value);
    expect(rest).toEqual(events.slice(3));
  });

  it("writes its events in few groups", async () => {
    const store = memoryStore();
    const many = numbered([
      { type: "start" },
      ...Array.from({ length: 500 }, () => ({ type: "text_delta", delta: "a", index: 0 }) as const),
    ]);
    await all(eventLog(store).record("u-1", streamOf(many)));
    expect((await keysOf(store)).length).toBeLessThan(10);
    expect(await all(eventLog(store).replay("u-1"))).toEqual(many);
  });

  it("replaces the one before it, and leaves nothing of that behind", async () => {
    const store = memoryStore();
    const log = eventLog(store);
    await all(log.record("u-1", streamOf(events)));
    const second = numbered([{ type: "start" }, { type: "finish", finishReason: "stop", usage }], "run-2");
    await all(log.record("u-1", streamOf(second)));
    expect(await all(log.replay("u-1", { after: "run-1:3" }))).toEqual(second);
    expect(await keysOf(store)).toHaveLength(2);
  });

  it("that does not begin replaces nothing", async () => {
    const log = eventLog(memoryStore());
    const run = slowRun();
    void all(log.record("u-1", run.stream));
    await run.tell(3);
    const busy = numbered(
      [{ type: "error", error: { code: "THREAD_BUSY", name: "KumikoError", message: "busy" } }],
      "r2",
    );
    const refused = log.record("u-1", streamOf(busy, new Error("busy")));
    await expect(all(refused)).rejects.toThrow("busy");
    const again = all(log.replay("u-1"));
    await run.tell(100);
    expect(await again).toEqual(events);
  });

  it("that fails tells so to its caller, and to clients by its last event", async () => {
    const log = eventLog(memoryStore());
    const failed = numbered([{ type: "start" }, { type: "error", error: { name: "Error", message: "no" } }]);
    const recorded = log.record("u-1", streamOf(failed, new Error("no")));
    expect(await dataOf(await uiMessageStream(recorded))).toEqual([
      { type: "start" },
      { type: "error", errorText: "An error occurred." },
    ]);
    expect(await all(log.replay("u-1"))).toEqual(failed);
    await expect(all(log.record("u-2", streamOf(failed, new Error("no"))))).rejects.toThrow("no");
  });

  it("goes with its turn", async () => {
    const store = memoryStore();
    const turn = "~thread/u-1/00000001";
    await store.put(turn, new Uint8Array(), undefined);
    const [, ...others] = weatherRun;
    const told = numbered([{ type: "start", threadId: "u-1", checkpointId: `${turn}/run` }, ...others]);
    await all(eventLog(store).record("u-1", streamOf(told)));
    expect(await all(eventLog(store).replay("u-1"))).toHaveLength(told.length);
    await store.delete(turn);
    expect(await all(eventLog(store).replay("u-1"))).toEqual([]);
    expect(await keysOf(store)).toEqual([]);
  });

  it("goes with its turn when a thread is shortened or removed, whether anybody reads it or not", async () => {
    const store = memoryStore();
    const agent = createAgent({ model: scriptedModel("one", "two", "three"), store });
    const log = eventLog(store);
    const say = (id: string, text: string) => all(log.record(id, agent.stream(text, { threadId: "u/1" })));
    await say("u/1", "1");
    await say("other log", "2");
    await threads(store).truncate("u/1", 1);
    expect(await keysOf(store)).toEqual(expect.not.arrayContaining([expect.stringContaining("other")]));
    expect(await all(log.replay("u/1"))).toHaveLength(6);
    await say("u/1", "2 again");
    expect((await threads(store).messages("u/1")).map(textOf)).toEqual(["1", "one", "2 again", "three"]);
    await threads(store).delete("u/1");
    expect(await keysOf(store)).toEqual([]);
  });

  it("keeps what belongs to the stream: its result, text and messages", async () => {
    const log = eventLog(memoryStore());
    const textStream = StreamReader.from(["a"]);
    const stream = Object.assign(StreamReader.from(events), {
      result: Promise.resolve("done"),
      text: Promise.resolve("a"),
      textStream,
      partialOutputStream: undefined,
      messages: () => ["logged"],
    });
    const recorded = log.record("u-1", stream);
    expect(await recorded.result).toBe("done");
    expect(await recorded.text).toBe("a");
    expect(recorded.textStream).toBe(textStream);
    expect(recorded.messages()).toEqual(["logged"]);
    expect(await all(recorded)).toEqual(events);
  });

  it("can be forgotten", async () => {
    const store = memoryStore();
    const log = eventLog(store);
    await all(log.record("u-1", streamOf(events)));
    await log.remove("u-1");
    expect(await all(log.replay("u-1"))).toEqual([]);
    expect(await keysOf(store)).toEqual([]);
  });

  it("says whether it goes on", async () => {
    const store = memoryStore();
    const [log, elsewhere] = [eventLog(store), eventLog(store)];
    expect(await log.isOpen("u-1")).toBe(false);
    const run = slowRun();
    const recorded = all(log.record("u-1", run.stream));
    await run.tell(2);
    expect(await log.isOpen("u-1")).toBe(true);
    await expect.poll(() => elsewhere.isOpen("u-1")).toBe(true);
    await run.tell(100);
    await recorded;
    expect([await log.isOpen("u-1"), await elsewhere.isOpen("u-1")]).toEqual([false, false]);
  });
});

describe("a replay", () => {
  it("of what was never recorded is empty", async () => {
    expect(await all(eventLog(memoryStore()).replay("u-1"))).toEqual([]);
  });

  it("can be left while it waits, here and in another process", async () => {
    const store = memoryStore();
    const log = eventLog(store);
    const run = slowRun();
    const recorded = all(log.record("u-1", run.stream));
    await run.tell(1);
    for (const source of [log.replay("u-1"), eventLog(store).replay("u-1")]) {
      await expect.poll(() => eventLog(store).isOpen("u-1")).toBe(true);
      const iterator = source[Symbol.asyncIterator]();
      expect((await iterator.next()).value).toEqual(events[0]);
      const waiting = iterator.next();
      await source.cancel();
      await expect(waiting).rejects.toThrow();
    }
    await run.tell(100);
    await recorded;
  });
});

describe("a recording whose process is gone", () => {
  /** A store that says what `life` says of every owner. */
  function storeOf(life: { isAlive: boolean; asked: number; whenAsked?: () => Promise<unknown> }): CheckpointStore {
    const isOwnerAlive = async () => {
      life.asked += 1;
      await life.whenAsked?.();
      return life.isAlive;
    };
    return Object.assign(memoryStore(), { isOwnerAlive });
  }
  const cut = { type: "error", runId: "run-1", agentPath: ["agent"], error: { code: "STREAM_CUT" } };

  it("ends with an error, a second after the last news, and is not open", async () => {
    const life = { isAlive: true, asked: 0 };
    const store = storeOf(life);
    await simulate(async ({ runtime, advance, now }) => {
      const run = slowRun();
      void all(eventLog(store, { runtime }).record("u-1", run.stream));
      await run.tell(3);
      await advance(100);
      const elsewhere = eventLog(store, { runtime });
      const replayed = all(elsewhere.replay("u-1"));
      await advance(4_900);
      expect(life.asked).toBe(4);
      expect(await elsewhere.isOpen("u-1")).toBe(true);
      life.isAlive = false;
      expect(await elsewhere.isOpen("u-1")).toBe(false);
      const died = now();
      const got = await replayed;
      expect(now() - died).toBeLessThanOrEqual(1_200);
      expect(got.slice(0, -1)).toEqual(events.slice(0, 3));
      expect(got.at(-1)).toMatchObject({ ...cut, seq: 3 });
      expect(await all(elsewhere.replay("u-1", { after: "run-1:1" }))).toEqual(got.slice(2));
      expect(await all(elsewhere.replay("u-1", { after: "run-1:3" }))).toEqual([]);
      const chunks = await dataOf(await uiMessageStream(elsewhere.replay("u-1", { after: "run-1:1" })));
      expect(chunks.at(-1)).toEqual({ type: "error", errorText: "An error occurred." });
      const nothingNew = await uiMessageStream(elsewhere.replay("u-1", { after: "run-1:2" }));
      expect([nothingNew.status, await nothingNew.json()]).toEqual([
        500,
        { error: { code: "STREAM_CUT", message: "An error occurred." } },
      ]);
    });
  });

  it("ends as it should if the process had finished in that moment", async () => {
    const life: Parameters<typeof storeOf>[0] = { isAlive: true, asked: 0 };
    const store = storeOf(life);
    await simulate(async ({ runtime, advance }) => {
      const run = slowRun();
      const recorded = all(eventLog(store, { runtime }).record("u-1", run.stream));
      await run.tell(3);
      await advance(100);
      life.isAlive = false;
      life.whenAsked = () => run.tell(100).then(() => recorded);
      expect(await all(eventLog(store, { runtime }).replay("u-1"))).toEqual(events);
    });
  });

  it("is not asked for its life while there are news", async () => {
    const life = { isAlive: false, asked: 0 };
    const store = storeOf(life);
    await simulate(async ({ runtime, advance }) => {
      const run = slowRun();
      void all(eventLog(store, { runtime }).record("u-1", run.stream));
      await run.tell(1);
      await advance(100);
      const replayed = all(eventLog(store, { runtime }).replay("u-1"));
      for (const _ of events) {
        await run.tell(1);
        await advance(700);
      }
      expect(await replayed).toEqual(events);
      expect(life.asked).toBe(0);
    });
  });

  it("before its first event was saved has only the error", async () => {
    const store = storeOf({ isAlive: false, asked: 0 });
    const head = { version: 1, recording: "r", owner: "gone", claim: "gone" };
    await store.put("~events/u-1", new TextEncoder().encode(JSON.stringify(head)), undefined);
    await simulate(async ({ runtime }) => {
      const replayed = await all(eventLog(store, { runtime }).replay("u-1"));
      expect(replayed).toMatchObject([{ type: "error", seq: 0, runId: "r", error: { code: "STREAM_CUT" } }]);
    });
  });

  it("refuses a runtime that is none", () => {
    expect(() => eventLog(memoryStore(), { runtime: {} as never })).toThrow("runtime of eventLog must be a Runtime");
    expect(() => eventLog(memoryStore(), { clock: 1 } as never)).toThrow('Unknown option "clock" of eventLog');
  });
});

describe("a store that fails", () => {
  it("for a moment leaves a recording that ends with an error, here and elsewhere", async () => {
    const inner = memoryStore();
    let failures = 1;
    const append = async (id: string, data: Uint8Array, ifVersion: number): Promise<number> => {
      if (failures-- > 0) throw new Error("disk full");
      return (await inner.append?.(id, data, ifVersion)) ?? 0;
    };
    const store = { ...inner, append, get: inner.get.bind(inner), put: inner.put.bind(inner) } as CheckpointStore;
    const methods = { list: inner.list.bind(inner), delete: inner.delete.bind(inner) };
    const log = eventLog(Object.assign(store, methods));
    const run = slowRun();
    const recorded = all(log.record("u-1", run.stream));
    await run.tell(2);
    await expect.poll(() => keysOf(store)).toHaveLength(2);
    await run.tell(100);
    await expect(recorded).rejects.toMatchObject({ code: "STORE_FAILED" });
    for (const reader of [log, eventLog(store)]) {
      expect(await reader.isOpen("u-1")).toBe(false);
      const replayed = await all(reader.replay("u-1"));
      expect(replayed.slice(0, -1)).toEqual(events.slice(0, 2));
      expect(replayed.at(-1)).toMatchObject({ type: "error", seq: 2, error: { code: "STREAM_CUT" } });
    }
  });

  it("does not stop the run: its caller hears of it at the end", async () => {
    const store: CheckpointStore = {
      ...memoryStore(),
      list: async function* () {},
      get: async () => undefined,
      delete: async () => {},
      put: () => Promise.reject(new Error("disk full")),
      append: () => Promise.reject(new Error("disk full")),
    };
    const seen: AgentEvent[] = [];
    const read = async () => {
      for await (const event of eventLog(store).record("u-1", streamOf(events))) seen.push(event);
    };
    await expect(read()).rejects.toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining("disk full") });
    expect(seen).toEqual(events);
  });

  it("with rows that are no events says so", async () => {
    const store = memoryStore();
    await store.put("~events/u-1", new TextEncoder().encode("{"), undefined);
    await expect(all(eventLog(store).replay("u-1"))).rejects.toMatchObject({ code: "CHECKPOINT_UNREADABLE" });
  });
});

describe("the rows of a recording", () => {
  /** A run whose events are written one by one. */
  async function record(store: CheckpointStore, count: number, whenWritten?: (written: number) => Promise<void>) {
    const log = eventLog(store);
    const { reader, writer } = pipe<AgentEvent>();
    const done = all(log.record("u-1", reader));
    const list = numbered([
      { type: "start" },
      ...Array.from({ length: count - 2 }, (_, index) => ({
        type: "text_delta" as const,
        delta: String(index),
        index: 0,
      })),
      { type: "finish" as const, finishReason: "stop" as const, usage },
    ]);
    for (const [index, event] of list.entries()) {
      await writer.write(event);
      await vi.advanceTimersByTimeAsync(50);
      await whenWritten?.(index + 1);
    }
    writer.close();
    await vi.advanceTimersByTimeAsync(50);
    expect(await done).toEqual(list);
    return list;
  }

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("are appended to, and begun anew when they are long", async () => {
    const store = memoryStore();
    const append = vi.spyOn(store, "append");
    const list = await record(store, 70);
    expect((await keysOf(store)).map((key) => key.replace(/[\da-f-]{36}/, "name"))).toEqual([
      "~events/u-1",
      ...["~events/u-1/name/00000000", "~events/u-1/name/00000001", "~events/u-1/name/00000002"],
    ]);
    expect(append).toHaveBeenCalledTimes(67);
    expect(await all(eventLog(store).replay("u-1"))).toEqual(list);
    expect(await all(eventLog(store).replay("u-1", { after: "run-1:40" }))).toEqual(list.slice(41));
  });

  it("can be read along in another process", async () => {
    const store = memoryStore();
    const read: AgentEvent[] = [];
    let reading: Promise<void> | undefined;
    const list = await record(store, 70, async (written) => {
      if (written !== 20) return;
      reading = (async () => {
        for await (const event of eventLog(store).replay("u-1")) read.push(event);
      })();
    });
    await vi.advanceTimersByTimeAsync(300);
    await reading;
    expect(read).toEqual(list);
  });

  it("of an earlier release, a group each, can be read", async () => {
    const store = memoryStore();
    const put = (key: string, value: unknown) =>
      store.put(`~events/u-1${key}`, new TextEncoder().encode(JSON.stringify(value)), undefined);
    await put("", { version: 1, recording: "r", groups: 3 });
    for (const [row, from] of [0, 2, 4].entries()) await put(`/r/0000000${row}`, events.slice(from, from + 2));
    expect(await all(eventLog(store).replay("u-1"))).toEqual(events.slice(0, 6));
  });

  it("are not written any more once they are removed", async () => {
    const store = memoryStore();
    await record(store, 5, async (written) => {
      if (written === 3) await eventLog(store).remove("u-1");
    });
    expect(await keysOf(store)).toEqual([]);
  });
});

const ok = async () => undefined;

it.each([
  [() => eventLog({} as never), "store of eventLog must be a checkpoint store (got {})."],
  [
    () =>
      eventLog({
        ...memoryStore(),
        get: async () => undefined,
        put: ok,
        delete: ok,
        list: ok,
        append: undefined,
      } as never),
    "store of eventLog must be a store with append: memoryStore(), sqliteStore(…) or postgresStore(…)",
  ],
  [() => eventLog(memoryStore()).record("", streamOf([])), "id of record must be a string of 1 to 256 characters"],
  [() => eventLog(memoryStore()).record("é".repeat(100), streamOf([])), "id of record must be a string"],
  [() => eventLog(memoryStore()).record("\ud800", streamOf([])), "id of record must be a string"],
  [() => eventLog(memoryStore()).record("a", [] as never), "record takes a stream of events"],
  [() => eventLog(memoryStore()).replay("a", { from: 1 } as never), 'Unknown option "from" of replay. Options: after.'],
  [
    () => eventLog(memoryStore()).replay("a", { after: 1 as never }),
    "after of replay must be the value of a Last-Event-ID",
  ],
])("refuses bad input: %s", (call, message) => {
  expect(call).toThrow(expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(message) }));
});
