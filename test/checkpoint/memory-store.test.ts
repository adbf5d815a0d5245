import { memoryStore } from "kumiko";
import { checkpointStoreConformance } from "kumiko/testing";
import { describe, expect, it } from "vitest";

const bytes = (text: string) => new TextEncoder().encode(text);
const hexOf = (data: Uint8Array) => Buffer.from(data).toString("hex");

describe("memoryStore", () => {
  const store = memoryStore();
  it.each(checkpointStoreConformance(() => store))("$name", ({ run }) => run());

  it("has rows of its own", async () => {
    const [one, two] = [memoryStore(), memoryStore()];
    await one.put("a", bytes("a"), undefined);
    expect(await two.get("a")).toBeUndefined();
  });

  it("gives a plain Uint8Array, also for a Buffer", async () => {
    const own = memoryStore();
    await own.put("a", Buffer.from("a"), undefined);
    expect((await own.get("a"))?.data).toStrictEqual(bytes("a"));
  });

  it("gives what was put last, whether that is shorter or longer, and leaves alone what it gave before", async () => {
    const own = memoryStore();
    let version: number | undefined;
    const given: Uint8Array[] = [];
    const texts = [
      "some text",
      "other text",
      "a text",
      "x",
      "",
      "a text that is much longer",
      "another one, longer still",
    ];
    for (const text of texts) {
      version = await own.put("a", bytes(text), version);
      const row = await own.get("a");
      expect(row).toStrictEqual({ data: bytes(text), version });
      if (row !== undefined) given.push(row.data);
    }
    expect(given.map((data) => new TextDecoder().decode(data))).toEqual(texts);
  });

  it("keeps the order of entries, however many and however large they are, and lets go of them", async () => {
    const own = memoryStore();
    for (const length of [0, 1, 600, 5_000]) {
      let version = await own.put("a", bytes("base"), (await own.get("a"))?.version);
      const entries = Array.from({ length: length > 600 ? 100 : 10_000 }, (_, n) =>
        new Uint8Array(length === 0 ? 0 : (length * n) % 1_000).fill(n),
      );
      for (const entry of entries) version = (await own.append?.("a", entry, version)) ?? -1;
      const row = await own.get("a");
      expect(row).toMatchObject({ data: bytes("base"), version });
      expect(row?.appended?.map(hexOf)).toEqual(entries.map(hexOf));
    }
    const replaced = await own.put("a", bytes("again"), (await own.get("a"))?.version);
    expect(await own.get("a")).toStrictEqual({ data: bytes("again"), version: replaced });
  });

  it("leaves alone the entries that it gave before, whatever is written later", async () => {
    const own = memoryStore();
    const version = await own.put("a", bytes("base"), undefined);
    const next = (await own.append?.("a", Buffer.from("entry"), version)) ?? -1;
    const before = await own.get("a");
    await own.delete("a", next);
    const again = await own.put("b", bytes("x".repeat(400)), undefined);
    await own.append?.("b", bytes("y".repeat(400)), again);
    expect(before?.appended).toStrictEqual([bytes("entry")]);
  });

  it("says which version stands in the way", async () => {
    const own = memoryStore();
    await own.put("order-7", bytes("a"), undefined);
    await expect(own.put("order-7", bytes("b"), undefined)).rejects.toMatchObject({
      code: "CHECKPOINT_CONFLICT",
      message: 'Checkpoint "order-7" already exists (version 1). Read it again before writing.',
    });
    await expect(own.put("order-7", bytes("b"), 5)).rejects.toMatchObject({
      message: 'Checkpoint "order-7" has version 1, not 5: another process wrote it. Read it again before writing.',
    });
    await expect(own.delete("order-8", 5)).rejects.toMatchObject({
      message:
        'Checkpoint "order-8" no longer has version 5: it was replaced or removed. Read it again before writing.',
    });
  });

  it("refuses ids of more than 512 characters, and counts characters, not units", async () => {
    const own = memoryStore();
    await own.put("😀".repeat(512), bytes("a"), undefined);
    await expect(own.put("😀".repeat(513), bytes("a"), undefined)).rejects.toMatchObject({
      code: "INVALID_KEY",
      message: expect.stringContaining("has 513 characters, and the limit is 512"),
    });
    await expect(own.get("a".repeat(513))).rejects.toMatchObject({ code: "INVALID_KEY" });
    await expect(own.delete("a".repeat(513))).rejects.toMatchObject({ code: "INVALID_KEY" });
  });

  it("refuses ids that are no texts", async () => {
    await expect(memoryStore().get(JSON.parse("7"))).rejects.toMatchObject({
      code: "INVALID_KEY",
      message: "The checkpoint id (number) cannot be used: an id must be a string.",
    });
  });

  it("rejects every call once it is closed, and can be closed twice", async () => {
    const own = memoryStore();
    await own.put("a", bytes("a"), undefined);
    await own.close();
    await own.close();
    const list = async () => {
      for await (const _id of own.list("")) return;
    };
    const calls = [
      own.get("a"),
      own.put("b", bytes("b"), undefined),
      own.append?.("a", bytes("b"), 1),
      own.delete("a"),
      list(),
    ];
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining("is closed") });
  });
});
