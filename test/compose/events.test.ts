import { Chain, events, isInterrupt, memoryStore, type RunEvent, type StreamReader } from "kumiko";
import { resumeEvents } from "kumiko/compose";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { plain, thrownBy } from "./thrown-by.js";

const letter = (store = memoryStore()) =>
  new Chain<string>()
    .append((name) => name.trim(), { key: "trim" })
    .append(
      async function* (name, ctx) {
        yield `Dear ${name}, `;
        yield await ctx.ask<string>("text", "What?");
      },
      { key: "write" },
    )
    .compile({ name: "letter", store });

async function readAll(reader: StreamReader<RunEvent>): Promise<{ seen: string[]; error: unknown }> {
  const seen: string[] = [];
  try {
    for await (const { seq, type, info, value } of reader) {
      expect(seq).toBe(seen.length);
      seen.push(`${type} ${info.name}${type === "chunk" || type === "end" ? ` ${String(value)}` : ""}`);
    }
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

describe("resumeEvents", () => {
  it("gives what happens in a run that goes on, in order", async () => {
    const app = letter();
    const { seen, error } = await readAll(events(app, " Ada ", { checkpointId: "id" }));
    expect(seen).toContain("interrupt write");
    if (!isInterrupt(error)) throw error;
    const again = await readAll(resumeEvents(app, "id", { [error.interrupts[0].id]: "hello" }));
    expect(again.error).toBeUndefined();
    expect(again.seen.filter((event) => event.endsWith("trim"))).toEqual([]);
    expect(again.seen[0]).toBe("start letter");
    expect(again.seen).toContain("chunk write hello");
    expect(again.seen.at(-1)).toBe("end letter Dear Ada, hello");
  });

  it("keeps the handlers and options that it is given", async () => {
    const app = letter();
    const error = await errorOf(app.invoke("Ada", { checkpointId: "id" }));
    if (!isInterrupt(error)) throw error;
    const names: string[] = [];
    const callbacks = [{ onStart: ({ name }: { name: string }) => void names.push(name) }];
    const answers = { byAddress: { [error.interrupts[0].address]: "x" } };
    await readAll(resumeEvents(app, "id", answers, { callbacks, requestContext: { user: "u" } }));
    expect(names).toEqual(["letter", "write"]);
  });

  it("rejects the first read for an unknown checkpoint or an unknown question; nothing has run", async () => {
    const app = letter();
    expect(await readAll(resumeEvents(app, "nope"))).toMatchObject({ seen: [], error: { code: "UNKNOWN_CHECKPOINT" } });
    await errorOf(app.invoke("Ada", { checkpointId: "id" }));
    const unknown = await readAll(resumeEvents(app, "id", { nope: 1 }));
    expect(unknown).toMatchObject({ seen: [], error: { code: "UNKNOWN_INTERRUPT" } });
    const bad = await readAll(resumeEvents(app, "id", undefined, plain({ callbacks: 1 })));
    expect(bad).toMatchObject({ seen: [], error: { code: "INVALID_OPTION" } });
    expect(thrownBy(() => resumeEvents(plain({}), "id")).message).toContain("needs a compiled graph or chain");
  });
});

describe("events", () => {
  it("gives events to several reads that are open at once, in order", async () => {
    const reader = events(new Chain<string>().append((text) => `${text}!`).compile({ name: "c" }), "x");
    const reads = await Promise.all(Array.from({ length: 6 }, () => reader.next()));
    expect(reads.map(({ value }) => value?.seq)).toEqual([0, 1, 2, 3, 4, undefined]);
  });

  it("tells each chunk where it passes, and the end of a node before the start of the next", async () => {
    const app = new Chain<string>()
      .append(
        async function* (text) {
          yield text;
          yield "!";
        },
        { key: "write" },
      )
      .append((text) => text.length, { key: "count" });
    const { seen } = await readAll(events(app.compile({ name: "c" }), "x"));
    const told = [
      "start c",
      "start write",
      "chunk write x",
      "chunk write !",
      "end write x!",
      "start count",
      "end count 2",
    ];
    expect(seen).toEqual([...told, "chunk c 2", "end c 2"]);
  });

  it("gives the chunks as a list at the end of a node that does not say how they join", async () => {
    const app = new Chain<string>().append(async function* (text) {
      yield { text };
      yield { text: "!" };
    });
    const ends: unknown[] = [];
    for await (const { type, value } of events(app.compile(), "x")) if (type === "end") ends.push(value);
    expect(ends).toEqual([
      [{ text: "x" }, { text: "!" }],
      [{ text: "x" }, { text: "!" }],
    ]);
  });

  it("tells the chunks before a failure, then the failure of each place, and no end", async () => {
    const app = new Chain<string>().append(
      async function* (text) {
        yield text;
        throw new Error("broken");
      },
      { key: "write" },
    );
    const { seen, error } = await readAll(events(app.compile({ name: "c" }), "x"));
    expect(seen).toEqual(["start c", "start write", "chunk write x", "chunk c x", "error write", "error c"]);
    expect(error).toMatchObject({ code: "NODE_FAILED" });
  });

  it("ends the run when it is left", async () => {
    let signal: AbortSignal | undefined;
    const app = new Chain<string>().append(async function* (text, ctx) {
      signal = ctx.signal;
      for (;;) yield text;
    });
    for await (const { type } of events(app.compile(), "x")) if (type === "chunk") break;
    expect(signal?.aborted).toBe(true);
  });
});
