import { type CheckpointStore, memoryStore } from "kumiko";
import { eventLog } from "kumiko/ui";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, comparable, loadedFrom } from "./chat-client.js";
import { type Backend, chatApp, listen, type Running } from "./chat-server.js";
import { costs, marks, prompts, secret, tripAgent } from "./trip.js";

interface Failing {
  /** The number of the operation that fails, and how many do from there on. */
  readonly at: number;
  readonly count: number;
  readonly when: "before" | "after";
  readonly of: "writes" | "reads" | "writes of events";
}

/** A store of which some operations fail. */
function failingStore(inner: CheckpointStore, { at, count, when, of }: Failing, note: (line: string) => void) {
  let done = 0;
  const fails = (): boolean => {
    done += 1;
    return done >= at && done < at + count;
  };
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!fails()) return work();
    if (when === "after") await work();
    throw new Error(`${secret}: the connection was lost`);
  };
  const writes = <T>(id: string, data: Uint8Array | undefined, work: () => Promise<T>): Promise<T> => {
    const isEvent = id.startsWith("~events/");
    const write = async (): Promise<T> => {
      const result = await work();
      const text = new TextDecoder().decode(data);
      if (id.endsWith("/run"))
        for (const [line, mark] of Object.entries(marks)) if (text.includes(mark)) note(`saved ${line}`);
      return result;
    };
    return of === "writes" || (of === "writes of events" && isEvent) ? during(write) : write();
  };
  const reads = <T>(work: () => Promise<T>): Promise<T> => (of === "reads" ? during(work) : work());
  const store: CheckpointStore = {
    get: (id) => reads(() => inner.get(id)),
    put: (id, data, ifVersion) => writes(id, data, () => inner.put(id, data, ifVersion)),
    append: (id, data, ifVersion) =>
      writes(id, data, async () => (await inner.append?.(id, data, ifVersion)) ?? Number.NaN),
    delete: (id, ifVersion) => writes(id, undefined, () => inner.delete(id, ifVersion)),
    async *list(prefix) {
      await reads(async () => undefined);
      yield* inner.list(prefix);
    },
  };
  return { store, hasFailed: () => done >= at };
}

const backends = new Map<string, Backend>();
let sent = "";
let server: Running;
beforeAll(async () => {
  const onResponse = async (response: Response): Promise<Response> => {
    const text = await response.text();
    if (text.includes(secret)) sent += text;
    return new Response(response.status === 204 ? null : text, response);
  };
  server = await listen(chatApp({ backend: (name) => backends.get(name) as Backend, onResponse }));
});
afterAll(() => server.close());

/** What ran although it had been saved that it had run. */
const paidTwice = (lines: readonly string[]): string[] =>
  lines.filter((line, at) => !line.startsWith("saved ") && lines.slice(0, at).includes(`saved ${line}`));

async function converse(failing: Failing) {
  const lines: string[] = [];
  const note = (line: string): void => void lines.push(line);
  const { store, hasFailed } = failingStore(memoryStore(), failing, note);
  const name = `${failing.of}-${failing.when}-${failing.at}-${failing.count}`;
  backends.set(name, { store, agent: tripAgent({ store, note }), log: eventLog(store) });
  const client = new Client({ url: `${server.url}/${name}`, id: "t", answers: "apart" });
  for (const prompt of prompts) await client.ask(prompt);
  const loaded = await loadedFrom(`${server.url}/${name}/chat/t`);
  backends.delete(name);
  return { client, lines, hasFailed: hasFailed(), loaded: comparable(loaded) };
}

const all = process.env.KUMIKO_CHATS === "all";

describe.each<Pick<Failing, "of" | "when" | "count">>([
  { of: "writes", when: "before", count: 1 },
  { of: "writes", when: "after", count: 1 },
  { of: "writes", when: "before", count: 3 },
  { of: "reads", when: "before", count: 1 },
  { of: "writes of events", when: "before", count: 1 },
  { of: "writes of events", when: "before", count: 1_000_000 },
])("a chat whose store fails: %o", (failing) => {
  it("is the same at last, pays nothing twice that was saved, and tells no error", { timeout: 600_000 }, async () => {
    const whole = await converse({ ...failing, at: Number.POSITIVE_INFINITY });
    expect(whole.lines.filter((line) => !line.startsWith("saved ")).toSorted()).toEqual(costs);
    const failures: Record<string, number> = {};
    let ended = 0;
    for (let at = 1; ; at += all ? 1 : 11) {
      const again = await converse({ ...failing, at }).catch((error: Error) => {
        throw new Error(`At ${at}: ${error.message.slice(0, 500)}`, { cause: error });
      });
      if (!again.hasFailed) break;
      ended += 1;
      expect([at, again.loaded]).toEqual([at, whole.loaded]);
      expect([at, paidTwice(again.lines)]).toEqual([at, []]);
      for (const status of again.client.failures) failures[status] = (failures[status] ?? 0) + 1;
    }
    if (all) console.log(failing, ended, failures);
    expect(sent).toBe("");
  });
});
