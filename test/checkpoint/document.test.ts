import { isInterrupt, KumikoError } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { watchedStore } from "./watched-store.js";

async function saved(durability: "exit" | "step" = "exit") {
  const store = watchedStore();
  const log: string[] = [];
  const app = orderChain({ log }, { store, durability });
  const { id } = await questionOf(app.invoke("a", { checkpointId: "order-7" }));
  log.length = 0;
  return { store, app, log, id, text: await store.text("order-7") };
}

describe("The document of a checkpoint", { timeout: 30_000 }, () => {
  it.each([["exit"], ["step"]] as const)("is one JSON object, and version comes first (%s)", async (durability) => {
    const { store } = await saved(durability);
    const texts = store.calls.flatMap(({ text }) => (text?.startsWith('{"version"') ? [text] : []));
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) {
      const document: unknown = JSON.parse(text);
      expect(document).toEqual(expect.objectContaining({ version: expect.anything() }));
      expect(text).toMatch(/^\{"version":/);
    }
  });

  it("comes back as it was through JSON", async () => {
    const { store, app, id, text } = await saved();
    await store.replace("order-7", JSON.stringify(JSON.parse(text), undefined, 2));
    expect(await app.resume("order-7", { [id]: "b" })).toBe("a>b.");
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "this is no checkpoint"],
    ["half a document", undefined],
    ["another kind of value", "[1,2,3]"],
    ["a text", '"text"'],
    ["null", "null"],
    ["an object without a version", '{"other":1}'],
    ["a version that is none", '{"version":"x"}'],
    ["a version alone", '{"version":3}'],
    ["a document of the future", '{"version":999999}'],
  ])("that is %s is CHECKPOINT_UNREADABLE, and nothing runs", async (_what, content) => {
    const { store, app, log, id, text } = await saved();
    await store.replace("order-7", content ?? text.slice(0, text.length / 2));
    for (const run of [
      app.resume("order-7"),
      app.resume("order-7", { [id]: "b" }),
      app.resumeStream("order-7").concat(),
    ]) {
      const error = await errorOf(run);
      expect(error.code).toBe("CHECKPOINT_UNREADABLE");
    }
    expect(log).toEqual([]);
  });

  it("of the future is told apart: the message says both versions", async () => {
    const { store, app, text } = await saved();
    const { version } = JSON.parse(text) as { version: number };
    await store.replace("order-7", text.replace(/^\{"version":[^,}]*/, `{"version":${version + 1}`));
    const error = await errorOf(app.resume("order-7"));
    expect(error.code).toBe("CHECKPOINT_UNREADABLE");
    expect(error.message).toContain(String(version));
    expect(error.message).toContain(String(version + 1));
  });

  it("is named by the error when it cannot be read", async () => {
    const { store, app } = await saved();
    await store.replace("order-7", "{}");
    expect((await errorOf(app.resume("order-7"))).message).toContain("order-7");
  });

  it("that is no UTF-8 is CHECKPOINT_UNREADABLE", async () => {
    const { store, app } = await saved();
    await store.replace("order-7", new Uint8Array([0xff, 0xfe, 0x7b, 0x00]));
    expect((await errorOf(app.resume("order-7"))).code).toBe("CHECKPOINT_UNREADABLE");
  });

  it("stays as it is when it cannot be read: a newer program may still go on", async () => {
    const { store, app, id, text } = await saved();
    const { version } = JSON.parse(text) as { version: number };
    const future = text.replace(/^\{"version":[^,}]*/, `{"version":${version + 1}`);
    await store.replace("order-7", future);
    await errorOf(app.resume("order-7", { [id]: "b" }));
    expect(await store.text("order-7")).toBe(future);
    await store.replace("order-7", text);
    expect(await app.resume("order-7", { [id]: "b" })).toBe("a>b.");
  });

  it("that was tampered with gives a result, the question, or an error of this library, whatever was changed", async () => {
    const { text, id } = await saved();
    const changes = mutations(JSON.parse(text));
    expect(changes.length).toBeGreaterThan(20);
    for (const changed of changes) {
      const { store, app } = await saved();
      await store.replace("order-7", JSON.stringify(changed));
      const outcome = await app.resume("order-7", { [id]: "b" }).catch((error: unknown) => error);
      const fine = typeof outcome === "string" || isInterrupt(outcome) || KumikoError.is(outcome);
      expect({ changed, outcome, fine }).toEqual({ changed, outcome, fine: true });
    }
  });
});

const strange: readonly unknown[] = [null, -1, 1e9, "x", [], {}, true, { __proto__: null, toString: 1 }];

/** The document with one thing gone or another in its place, for every thing in it. */
function mutations(document: unknown): unknown[] {
  const all: unknown[] = [];
  const walk = (value: unknown, rebuild: (part: unknown) => unknown): void => {
    for (const other of strange) all.push(rebuild(other));
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      const replaced = (part: unknown): unknown => {
        if (Array.isArray(value)) return value.with(Number(key), part);
        return { ...value, [key]: part };
      };
      const { [key]: _gone, ...rest } = value as Record<string, unknown>;
      all.push(rebuild(Array.isArray(value) ? value.toSpliced(Number(key), 1) : rest));
      walk((value as Record<string, unknown>)[key], (part) => rebuild(replaced(part)));
    }
  };
  walk(document, (part) => part);
  return all;
}
