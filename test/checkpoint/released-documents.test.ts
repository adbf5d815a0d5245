import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type CheckpointStore, type CompiledGraph, memoryStore, userMessage } from "../../src/index.js";
import { answerTo, expenseReport, plain } from "./documents/expense-report.js";
import { pageReader } from "./documents/page-reader.js";
import { interruptOf } from "./interrupt-of.js";

const folder = new URL("documents/", import.meta.url);
const documents = readdirSync(folder).filter((name) => name.endsWith(".json"));

async function finishReport(app: CompiledGraph<string, Record<string, unknown>>): Promise<void> {
  const { interrupts } = await interruptOf(app.resume("report", {}));
  const answers = Object.fromEntries(interrupts.map(({ id, info }) => [id, answerTo(info)]));
  expect(plain(await app.resume("report", answers))).toEqual({
    receipt: "two words 6 travel",
    rate: 106,
    sum: { total: 12, kept: { asked: 1 } },
    tools: ["42", "approved by Ada"],
    seen: 1n,
  });
}

/** A document of each version that was ever released stays here, and stays readable. */
describe("Documents of released versions", () => {
  it("are there", () => expect(documents).toContain("version-1.json"));

  it.each(documents)("%s is read, and its run goes on to the end", async (name) => {
    const store = memoryStore();
    await store.put("report", readFileSync(new URL(name, folder)), undefined);
    await finishReport(expenseReport(store));
  });
});

/** Fills a store with rows as a former version wrote them: documents, the entries appended to them, and a history. */
async function storeOf(name: string): Promise<CheckpointStore> {
  const store = memoryStore();
  const rows: Record<string, { data: unknown; appended: readonly unknown[] }> = JSON.parse(
    readFileSync(new URL(name, folder), "utf8"),
  );
  const bytes = (json: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(json));
  for (const [id, { data, appended }] of Object.entries(rows)) {
    let version = await store.put(id, bytes(data), undefined);
    for (const entry of appended) version = (await store.append?.(id, bytes(entry), version)) ?? version;
  }
  return store;
}

describe("Stores of version 2", () => {
  it("with answered questions: the run goes on to the end", async () => {
    await finishReport(expenseReport(await storeOf("version-2/report.json")));
  });

  it("with a failed agent: it goes on without repeating a call, and all of its history is there", async () => {
    const pages: number[] = [];
    const app = pageReader(await storeOf("version-2/reader-failed.json"), { isOpen: true, pages });
    const { interrupts } = await interruptOf(app.resume("reader"));
    expect(interrupts.map(({ info }) => info)).toEqual([{ pages: 14 }]);
    expect(pages).toEqual([6]);
    const title = userMessage("A title");
    const next = await interruptOf(app.resume("reader", { [interrupts[0]?.id ?? ""]: title }));
    const answer = { [next.interrupts[0]?.id ?? ""]: "yes" };
    expect(await app.resume("reader", answer)).toEqual({ title: "A title", texts: 15, fine: "yes" });
    expect((await lengths(app)).slice(-14)).toEqual([11, 11, 10, 8, 8, 7, 5, 5, 4, 2, 2, 1, 0, 0]);
  });

  it("with an open question whose state refers to other values: it is answered, and all of its history is there", async () => {
    const app = pageReader(await storeOf("version-2/reader-asks.json"), { isOpen: true, pages: [] });
    const { interrupts } = await interruptOf(app.resume("reader", {}));
    expect(await app.resume("reader", { [interrupts[0]?.id ?? ""]: "yes" })).toMatchObject({ texts: 15, fine: "yes" });
    expect((await lengths(app)).slice(-14)).toEqual([11, 11, 10, 8, 8, 7, 5, 5, 4, 2, 2, 1, 0, 0]);
  });
});

/** How many messages each entry of the history has in its state, newest first. */
async function lengths(app: CompiledGraph<string, unknown>): Promise<number[]> {
  const found: number[] = [];
  for await (const { id } of app.history("reader")) {
    const { messages } = (await app.stateAt("reader", id)).state() as { readonly messages: readonly unknown[] };
    for (const message of messages) expect(message).toMatchObject({ role: expect.any(String) });
    found.push(messages.length);
  }
  return found;
}
