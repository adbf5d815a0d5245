import { setTimeout as sleep } from "node:timers/promises";
import type { UIMessage } from "ai";
import fc from "fast-check";
import { type CheckpointStore, memoryStore } from "kumiko";
import type { AgentEvent } from "kumiko/agents";
import { eventLog } from "kumiko/ui";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../number-of-runs.js";
import { Client, type ClientOptions, comparable } from "./chat-client.js";
import { type Backend, chatApp, listen, type Running } from "./chat-server.js";
import { costs, prompts, secret, tripAgent } from "./trip.js";

/** Stops the events of runs, as a slow provider would. */
class Gate {
  #isOpen: Promise<void> | undefined;
  #open: () => void = () => undefined;

  hold(): void {
    this.#isOpen ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  release(): void {
    this.#open();
    this.#isOpen = undefined;
  }

  async *pass(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void> {
    await this.#isOpen;
    for await (const event of events) {
      yield event;
      await this.#isOpen;
    }
  }
}

class Talk {
  readonly notes: string[] = [];
  readonly gate = new Gate();
  readonly backend: Backend;
  readonly store: CheckpointStore;

  constructor() {
    const store = memoryStore();
    const agent = tripAgent({ store, note: (line) => this.notes.push(line) });
    this.store = store;
    this.backend = { store, agent, log: eventLog(store), gate: (events) => this.gate.pass(events) };
  }
}

const talks = new Map<string, Talk>();
/** Everything that left the server. */
let sent = "";
let server: Running;

beforeAll(async () => {
  const backend = (name: string): Backend => {
    const talk = talks.get(name.replace(" elsewhere", "")) as Talk;
    return name.endsWith(" elsewhere") ? { ...talk.backend, log: eventLog(talk.store) } : talk.backend;
  };
  const onResponse = (response: Response): Response => {
    if (response.body === null) return response;
    const [body, copy] = response.body.tee();
    void new Response(copy).text().then(
      (text) => {
        if (text.includes(secret)) sent += text;
      },
      () => undefined,
    );
    return new Response(body, response);
  };
  server = await listen(chatApp({ backend, onResponse }));
});
afterAll(() => server.close());

interface Way extends Pick<ClientOptions, "answers" | "missed" | "agrees"> {
  /** Whether another process loads the page, as far as event logs are concerned. */
  readonly elsewhere?: boolean;
}

interface Cuts {
  readonly at: readonly number[];
  /** What the run does while the page is loaded again. */
  readonly meanwhile: "waits" | "ends" | "goes on";
}

let number = 0;

/** A whole conversation. */
async function converse({ elsewhere = false, ...way }: Way, cuts?: Cuts) {
  const talk = new Talk();
  const name = String(++number);
  talks.set(name, talk);
  const { log } = talk.backend;
  const url = `${server.url}/${name}`;
  const client = new Client({
    ...{ url, id: "t", ...way, ...(elsewhere && { loadUrl: `${url}%20elsewhere` }) },
    ...(cuts !== undefined && {
      cuts: cuts.at,
      onCut: async () => {
        if (cuts.meanwhile === "waits") talk.gate.hold();
        if (cuts.meanwhile === "ends") while (await log.isOpen("t")) await sleep(1);
      },
      onBack: () => void setTimeout(() => talk.gate.release(), 15),
    }),
  });
  for (const prompt of prompts) await client.ask(prompt);
  const loaded = (await (await fetch(`${url}/chat/t`)).json()) as UIMessage[];
  talks.delete(name);
  return { client, messages: comparable(client.messages), loaded: comparable(loaded), notes: talk.notes.toSorted() };
}

const all = process.env.KUMIKO_CHATS === "all";
const some: readonly Way[] = [{ answers: "together" }, { answers: "apart", missed: "whole", agrees: false }];
const ways: readonly Way[] = [true, false].flatMap((agrees) =>
  (["together", "apart"] as const).flatMap((answers) =>
    (["chat", "whole"] as const).flatMap((missed) =>
      [false, true].map((elsewhere) => ({ agrees, answers, missed, elsewhere })),
    ),
  ),
);

describe.each(all ? ways : some)("a page that is loaded again after any chunk (%o)", (way) => {
  it.each(["waits", "ends"] as const)(
    "shows at last what it would have shown, and pays nothing twice: its run %s",
    {
      timeout: 600_000,
    },
    async (meanwhile) => {
      const whole = await converse(way);
      if (way.agrees !== false) expect(whole.notes).toEqual(costs);
      expect(whole.loaded).toEqual(whole.messages);
      let replayed = 0;
      for (let at = 0; at < whole.client.chunks; at += all ? 1 : 9) {
        const { client, ...again } = await converse(way, { at: [at], meanwhile });
        expect([at, again]).toEqual([at, { messages: whole.messages, loaded: whole.messages, notes: whole.notes }]);
        expect([at, client.closed]).toEqual([at, 1]);
        replayed += client.replayed;
      }
      if (meanwhile === "waits" || way.missed === "whole") expect(replayed).toBeGreaterThan(0);
      if (all) console.log(way, meanwhile, whole.client.chunks, replayed);
      expect(sent).toBe("");
    },
  );
});

it("may be loaded again and again", { timeout: 600_000 }, async () => {
  const found = new Map<string, Awaited<ReturnType<typeof converse>>>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ways),
      fc.constantFrom<Cuts["meanwhile"]>("waits", "ends", "goes on"),
      fc.array(fc.nat({ max: 200 }), { minLength: 2, maxLength: 5 }),
      async (way, meanwhile, at) => {
        const whole = found.get(JSON.stringify(way)) ?? (await converse(way));
        found.set(JSON.stringify(way), whole);
        const { client, ...again } = await converse(way, { at: at.toSorted((one, other) => one - other), meanwhile });
        expect(again).toEqual({ messages: whole.messages, loaded: whole.messages, notes: whole.notes });
      },
    ),
    { numRuns: all ? 300 : 8, ...limits },
  );
  expect(sent).toBe("");
});
