import { sqliteStore } from "kumiko/sqlite";
import { describe, expect, it } from "vitest";
import { appendTo } from "./content.js";
import { bytes, NewFiles } from "./new-files.js";
import { openRaw } from "./old-file.js";

const files = new NewFiles();
const newFile = () => files.next();
const store = (...args: Parameters<typeof sqliteStore>) => files.store(...args);
/** The same file without the store. */
const raw = (file: string) => files.closing(openRaw(file));
describe("entries of a sqliteStore", () => {
  it("are there when the file is opened again, and keep their order, however many there are", {
    timeout: 120_000,
  }, async () => {
    const file = newFile();
    const first = sqliteStore(file, { synchronous: "normal" });
    let version = await first.put("a", bytes("base"), undefined);
    for (let n = 0; n < 10_000; n++) version = await appendTo(first, "a", bytes(`${n}`), version);
    await first.close();
    const found = await store(file).get("a");
    expect(found?.version).toBe(version);
    expect(found?.appended?.map((entry) => Number(new TextDecoder().decode(entry)))).toEqual([...Array(10_000).keys()]);
  });

  it("are plain Uint8Arrays, also for Buffers", async () => {
    const own = store(":memory:");
    const version = await own.put("a", bytes("a"), undefined);
    await appendTo(own, "a", Buffer.from("b"), version);
    expect((await own.get("a"))?.appended).toStrictEqual([bytes("b")]);
  });

  it("take no place in the file once their base is replaced or deleted", async () => {
    const file = newFile();
    const own = store(file);
    for (const id of ["replaced", "deleted", "deleted at its version", "kept"]) {
      const version = await appendTo(own, id, bytes("entry"), await own.put(id, bytes("base"), undefined));
      if (id === "replaced") await own.put(id, bytes("again"), version);
      if (id === "deleted") await own.delete(id);
      if (id === "deleted at its version") await own.delete(id, version);
    }
    const count = "SELECT count(*) AS count FROM kumiko_checkpoint_entries";
    expect(await raw(file).use((connection) => connection.query(count))).toMatchObject([{ count: 1 }]);
  });

  it("say which version stands in the way", async () => {
    const own = store(":memory:");
    const version = await own.put("order-7", bytes("a"), undefined);
    const next = await appendTo(own, "order-7", bytes("b"), version);
    await expect(own.append?.("order-7", bytes("c"), version)).rejects.toMatchObject({
      code: "CHECKPOINT_CONFLICT",
      message: `Checkpoint "order-7" has version ${next}, not ${version}: another process wrote it. Read it again before writing.`,
    });
    await expect(own.append?.("order-8", bytes("c"), 1)).rejects.toMatchObject({
      message: expect.stringContaining("no longer has version 1"),
    });
  });

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("are not appended to version %s", async (version) => {
    const own = store(":memory:");
    await own.put("a", bytes("a"), undefined);
    await expect(own.append?.("a", bytes("b"), version)).rejects.toMatchObject({ code: "CHECKPOINT_CONFLICT" });
  });
});
