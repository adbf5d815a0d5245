import { assistantMessage, pipe } from "kumiko";
import { type AgentEvent, createAgent } from "kumiko/agents";
import { sse, uiMessageStream } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { numbered } from "./hand-made.js";

const deltas = (count: number): AgentEvent[] =>
  numbered(
    Array.from({ length: count }, (_, index) => ({
      type: "text_delta" as const,
      delta: `${index} ${"x".repeat(90)}`,
      index: 0,
    })),
  );

function readerOf(response: Response) {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error("The response has no body.");
  return {
    read: async () => {
      const { value } = await reader.read();
      return new TextDecoder().decode(value);
    },
    cancel: (reason?: unknown) => reader.cancel(reason),
  };
}

const eventsIn = (text: string): number => text.split("\n\n").length - 1;

/** A run whose next events come when they are told to. */
function toldRun() {
  let tell: (events: AgentEvent[]) => void = () => undefined;
  async function* run(): AsyncGenerator<AgentEvent, void> {
    for (;;) yield* await new Promise<AgentEvent[]>((resolve) => (tell = resolve));
  }
  return { events: run(), tell: (events: AgentEvent[]) => tell(events) };
}

async function* endless(onRead: () => void): AsyncGenerator<AgentEvent, void> {
  for (const event of deltas(10_000)) {
    onRead();
    yield event;
  }
}

describe("the body of a response", () => {
  it("sends a burst of events in one chunk", async () => {
    const { events, tell } = toldRun();
    const reader = readerOf(await sse(events));
    const chunk = reader.read();
    await Promise.resolve();
    tell(deltas(20));
    expect(eventsIn(await chunk)).toBe(20);
    await reader.cancel();
  });

  it("sends each event of a slow run at once, before the next one exists", async () => {
    const { events, tell } = toldRun();
    const reader = readerOf(await sse(events));
    for (const event of deltas(5)) {
      const chunk = reader.read();
      await new Promise(setImmediate);
      tell([event]);
      expect(await chunk).toContain(`"seq":${event.seq},`);
    }
    await reader.cancel();
  });

  it("sends the pieces of a slow model before it goes on", async () => {
    const asked: (() => void)[] = [];
    async function* stream() {
      for (const text of ["one", "two"]) {
        yield assistantMessage([{ type: "assistant_gen_text" as const, text, streamingMeta: { index: 0 } }]);
        await new Promise<void>((resolve) => asked.push(resolve));
      }
    }
    const agent = createAgent({ model: { component: "model", generate: async () => assistantMessage(""), stream } });
    const reader = readerOf(await uiMessageStream(agent.stream("Hi")));
    let text = "";
    for (const piece of ["one", "two"]) {
      while (!text.includes(`"delta":"${piece}"`)) text += await reader.read();
      asked.shift()?.();
    }
    while (!text.endsWith("[DONE]\n\n")) text += await reader.read();
    expect(text).toContain('"type":"finish"');
  });

  it("sends every event of a long burst, in order, and in chunks that have an end", async () => {
    const events = deltas(1_000);
    const reader = readerOf(
      await sse(
        (async function* () {
          yield* events;
        })(),
      ),
    );
    const chunks: string[] = [];
    for (let chunk = await reader.read(); chunk !== ""; chunk = await reader.read()) chunks.push(chunk);
    const seqs = [...chunks.join("").matchAll(/^id: run-1:(\d+)$/gm)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual(events.map(({ seq }) => seq));
    expect(chunks.length).toBeGreaterThan(5);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(20_000);
  });

  it("reads no further than one event ahead of a client that has stopped to read", async () => {
    let read = 0;
    const reader = readerOf(await sse(endless(() => (read += 1))));
    const taken = eventsIn(await reader.read());
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect(read).toBeLessThanOrEqual(taken + 1);
    const more = eventsIn(await reader.read());
    expect(more).toBeGreaterThan(1);
    expect(read).toBeLessThanOrEqual(taken + more + 1);
    await reader.cancel();
  });

  it("cancels the run of a client that leaves while it waits for an event", async () => {
    const reasons: unknown[] = [];
    const source = new ReadableStream<AgentEvent>({ cancel: (reason) => void reasons.push(reason) });
    const reader = readerOf(await uiMessageStream(source));
    const chunk = reader.read();
    await new Promise(setImmediate);
    await reader.cancel(new Error("closed the page"));
    expect(await chunk).toBe("");
    expect(reasons).toMatchObject([{ message: "closed the page" }]);
  });

  it("cancels the run of a client that leaves in the middle of a burst", async () => {
    let isOpen = true;
    async function* run(): AsyncGenerator<AgentEvent, void> {
      try {
        yield* endless(() => undefined);
      } finally {
        isOpen = false;
      }
    }
    const reader = readerOf(await uiMessageStream(run()));
    await reader.read();
    const chunk = reader.read();
    await reader.cancel();
    expect(await chunk).toBe("");
    await expect.poll(() => isOpen).toBe(false);
  });

  it("does not take a client that leaves for an error", async () => {
    const { reader: events, writer } = pipe<AgentEvent>();
    const errors: unknown[] = [];
    const onError = (error: unknown) => `${errors.push(error)}`;
    void writer.write(deltas(1)[0] as AgentEvent).catch(() => undefined);
    const reader = readerOf(await uiMessageStream(events, { onError }));
    await reader.read();
    const chunk = reader.read();
    await new Promise(setImmediate);
    await reader.cancel();
    await chunk;
    await new Promise(setImmediate);
    expect(errors).toEqual([]);
  });

  it("sends what came before an error, and the error", async () => {
    async function* run(): AsyncGenerator<AgentEvent, void> {
      yield* deltas(3);
      throw new Error("the wire broke");
    }
    const text = await (await uiMessageStream(run())).text();
    expect(text.match(/text-delta/g)).toHaveLength(3);
    expect(text).toMatch(/data: \{"type":"error","errorText":"An error occurred\."\}\n\ndata: \[DONE\]\n\n$/);
  });
});
