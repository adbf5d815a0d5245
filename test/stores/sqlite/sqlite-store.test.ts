import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "kumiko/sqlite";
import { checkpointStoreConformance } from "kumiko/testing";
import { afterAll, describe, expect, it } from "vitest";
import { parseProcessOwner, processOwner } from "../../../src/checkpoint/journal/process-owner.js";
import { SqliteDatabase } from "../../../src/stores/sqlite/database.js";
import { prepareCheckpoints } from "../../../src/stores/sqlite/schema.js";
import { bytes, NewFiles, turns } from "./new-files.js";

const files = new NewFiles();
const { folder } = files;
const newFile = () => files.next();
const store = (...args: Parameters<typeof sqliteStore>) => files.store(...args);
/** The same file without the store: for what others may do to it. */
const database = (file: string, synchronous: "full" | "normal" = "full", patienceSeconds = 30) => {
  const made = new SqliteDatabase({
    store: "sqliteStore",
    file,
    location: file,
    synchronous,
    patienceSeconds,
    prepare: prepareCheckpoints,
  });
  return files.closing(made);
};
// Some checks make a thousand writes, each of which waits for the disk.
describe("sqliteStore in a file", { timeout: 60_000 }, () => {
  it.each(checkpointStoreConformance(() => store(join(folder, "conformance.db"))))("$name", ({ run }) => run());
});

describe("sqliteStore in memory", () => {
  const memory = sqliteStore(":memory:");
  afterAll(() => memory.close());
  it.each(checkpointStoreConformance(() => memory))("$name", ({ run }) => run());

  it("has rows of its own", async () => {
    await store(":memory:").put("a", bytes("a"), undefined);
    expect(await store(":memory:").get("a")).toBeUndefined();
  });
});

describe("sqliteStore", () => {
  it("lets other things happen between calls that wait for nothing else", async () => {
    const rows = store(newFile());
    await rows.put("a", bytes("1"), undefined);
    let hasFired = false;
    setTimeout(() => {
      hasFired = true;
    }, 1);
    for (let n = 0; n < 50_000 && !hasFired; n++) await rows.get("a");
    expect(hasFired).toBe(true);
  });

  it("finds everything again when the file is opened again", async () => {
    const file = newFile();
    const first = sqliteStore(file);
    const version = await first.put("a", bytes("first"), undefined);
    await first.put("b", bytes("b"), undefined);
    await first.close();
    const second = store(file);
    expect(await second.get("a")).toEqual({ data: bytes("first"), version });
    expect(await second.put("a", bytes("second"), version)).not.toBe(version);
  });

  it("never uses a version twice, also when everything was deleted and the file was closed in between", async () => {
    const file = newFile();
    const versions: number[] = [];
    for (let round = 0; round < 3; round++) {
      const own = sqliteStore(file);
      versions.push(await own.put("a", bytes("a"), undefined));
      await own.delete("a");
      await own.close();
    }
    expect(new Set(versions).size).toBe(3);
  });

  it("has all of it in one file once it is closed", async () => {
    const file = newFile();
    const own = sqliteStore(file);
    const version = await own.put("a", bytes("a"), undefined);
    await own.close();
    const copy = newFile();
    writeFileSync(copy, readFileSync(file));
    expect(await store(copy).get("a")).toEqual({ data: bytes("a"), version });
  });

  it("takes a file: address, with SQLite's parameters", async () => {
    const file = newFile();
    const { href } = new URL(`file://${file}`);
    await store(href).put("a", bytes("a"), undefined);
    const reader = store(`${href}?mode=ro`);
    expect((await reader.get("a"))?.data).toEqual(bytes("a"));
    await expect(reader.put("b", bytes("b"), undefined)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("This process may not write to the file: attempt to write a readonly database"),
    });
  });

  it("shares a file with other tables", async () => {
    const file = newFile();
    const others = database(file);
    await others.use((connection) => connection.run("CREATE TABLE orders (id); INSERT INTO orders VALUES (7)"));
    await store(file).put("a", bytes("a"), undefined);
    expect(await others.use((connection) => connection.query("SELECT id FROM orders"))).toMatchObject([{ id: 7 }]);
    const tables = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'kumiko%' AND name NOT LIKE 'sqlite%'";
    expect(await others.use((connection) => connection.query(tables))).toMatchObject([{ name: "orders" }]);
  });

  it("is made without touching the disk", async () => {
    const file = newFile();
    const own = store(file);
    expect(existsSync(file)).toBe(false);
    await own.get("a");
    expect(existsSync(file)).toBe(true);
  });

  it("rejects calls while its file cannot be opened, and works as soon as it can", async () => {
    const place = join(folder, "later");
    const own = store(join(place, "runs.db"));
    await expect(own.get("a")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringMatching(/^The SQLite store ".*later.*runs\.db" failed\. Its folder must exist/),
      cause: expect.any(Error),
    });
    mkdirSync(place);
    await own.put("a", bytes("a"), undefined);
    expect((await own.get("a"))?.data).toEqual(bytes("a"));
  });

  it("takes an address for the path of a file, and connects to nothing", async () => {
    await expect(store("libsql://127.0.0.1:1/runs").get("a")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("Its folder must exist"),
    });
  });

  it("opens its file once for calls that come together", async () => {
    const own = store(newFile());
    const puts = Array.from({ length: 20 }, (_, index) => own.put(`id ${index}`, bytes("a"), undefined));
    expect(new Set(await Promise.all(puts)).size).toBe(20);
  });

  it("says what is at the path when it is no database", async () => {
    const file = newFile();
    writeFileSync(file, "# Not a database\n".repeat(100));
    await expect(store(file).get("a")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("The file at this path is not an SQLite database: file is not a database"),
    });
  });

  it("refuses a file of a newer kumiko, and leaves it as it is", async () => {
    const file = newFile();
    await store(file).put("a", bytes("a"), undefined);
    const raw = database(file);
    await raw.use((connection) => connection.run("UPDATE kumiko_schema SET version = 4"));
    await expect(store(file).get("a")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("its tables of checkpoints have layout 4, but this version uses layout 3"),
    });
    const version = "SELECT version FROM kumiko_schema";
    expect(await raw.use((connection) => connection.query(version))).toMatchObject([{ version: 4 }]);
  });

  it.each([
    ["", "sqliteStore needs the path of a file"],
    [JSON.parse("7"), "(got 7)"],
  ])("refuses the path %j at once", (path, message) => {
    expect(() => sqliteStore(path)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    expect(() => sqliteStore(path)).toThrow(message);
  });

  it("refuses options that it does not have, at once", () => {
    const make = (options: string) => () => sqliteStore(":memory:", JSON.parse(options));
    expect(make('{ "table": "runs" }')).toThrow('Unknown option "table" of sqliteStore. Options: synchronous.');
    expect(make('{ "synchronous": "off" }')).toThrow('must be "full" or "normal" (got "off").');
  });

  it("gives a plain Uint8Array, also for a Buffer", async () => {
    const own = store(":memory:");
    await own.put("a", Buffer.from("a"), undefined);
    expect((await own.get("a"))?.data).toStrictEqual(bytes("a"));
  });

  it("copies what is put before it is open", async () => {
    const own = store(newFile());
    const data = bytes("first");
    const put = own.put("a", data, undefined);
    data.fill(0);
    await put;
    expect((await own.get("a"))?.data).toEqual(bytes("first"));
  });

  it("refuses ids that are too long or no texts", async () => {
    const own = store(":memory:");
    await expect(own.put("a".repeat(513), bytes("a"), undefined)).rejects.toMatchObject({ code: "INVALID_KEY" });
    await expect(own.get(JSON.parse("7"))).rejects.toMatchObject({ code: "INVALID_KEY" });
  });

  it("says which version stands in the way", async () => {
    const own = store(":memory:");
    const version = await own.put("order-7", bytes("a"), undefined);
    await expect(own.put("order-7", bytes("b"), undefined)).rejects.toMatchObject({
      code: "CHECKPOINT_CONFLICT",
      message: `Checkpoint "order-7" already exists (version ${version}). Read it again before writing.`,
    });
    await expect(own.delete("order-7", 99)).rejects.toMatchObject({
      message: expect.stringContaining(`has version ${version}, not 99`),
    });
  });

  it("says of a process of this host whether it is there", async () => {
    const own = store(":memory:");
    expect(await own.isOwnerAlive?.(processOwner())).toBe(true);
    const { host, start } = parseProcessOwner(processOwner()) ?? {};
    expect(await own.isOwnerAlive?.(`node/${host}/2147483647/${start}`)).toBe(false);
  });
});

describe("sqliteStore while somebody else writes", () => {
  it("waits for the end of it, and lets the thread go on", async () => {
    const file = newFile();
    const own = store(file);
    const version = await own.put("a", bytes("first"), undefined);
    const other = database(file);
    await other.use((connection) => connection.run("BEGIN IMMEDIATE"));
    let settled = false;
    const put = own.put("a", bytes("second"), version).finally(() => {
      settled = true;
    });
    await turns(20);
    expect(settled).toBe(false);
    expect((await own.get("a"))?.data).toEqual(bytes("first"));
    await other.use((connection) => connection.run("COMMIT"));
    await put;
    expect((await own.get("a"))?.data).toEqual(bytes("second"));
  });

  it("waits with the first call too, which makes the tables", async () => {
    const file = newFile();
    const other = database(file);
    await other.use((connection) => connection.run("DROP TABLE kumiko_schema; DROP TABLE kumiko_checkpoints"));
    await other.use((connection) =>
      connection.run("DROP TABLE kumiko_checkpoint_versions; DROP TABLE kumiko_checkpoint_runs"),
    );
    await other.use((connection) => connection.run("DROP TABLE kumiko_checkpoint_entries; BEGIN IMMEDIATE"));
    const put = store(file).put("a", bytes("a"), undefined);
    await turns(5);
    await other.use((connection) => connection.run("COMMIT"));
    expect(await put).toBe(1);
  });

  it("gives up after a while, and has changed nothing", async () => {
    const file = newFile();
    await store(file).put("a", bytes("a"), undefined);
    const hasty = database(file, "full", 0);
    await hasty.use((connection) => connection.query("SELECT 1"));
    const other = database(file);
    await other.use((connection) => connection.run("BEGIN IMMEDIATE"));
    const removal = () => hasty.use((connection) => connection.query("DELETE FROM kumiko_checkpoints"));
    await expect(removal()).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringMatching(/was locked for 0 seconds\. Nothing was changed\..*: database is locked$/),
    });
    await other.use((connection) => connection.run("COMMIT"));
    expect((await store(file).get("a"))?.data).toEqual(bytes("a"));
    await removal();
    expect(await store(file).get("a")).toBeUndefined();
  });
});

describe("a sqliteStore that is closed", () => {
  it("rejects every call, and can be closed twice", async () => {
    const own = sqliteStore(newFile());
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
      own.isOwnerAlive?.("a"),
    ];
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining("is closed") });
  });

  it("was perhaps never opened", async () => {
    const own = sqliteStore(join(folder, "no-such-folder", "runs.db"));
    await own.close();
    await expect(own.get("a")).rejects.toMatchObject({ message: expect.stringContaining("is closed") });
  });

  it("ends calls that wait for its file to open, and those that wait for somebody else", async () => {
    const file = newFile();
    const other = database(file);
    const first = sqliteStore(file);
    await first.get("a");
    await other.use((connection) => connection.run("BEGIN IMMEDIATE"));
    const second = sqliteStore(file);
    const calls = [first.put("a", bytes("a"), undefined), second.get("a")].map((call) => call.catch(String));
    await Promise.all([first.close(), second.close()]);
    for (const call of calls) expect(await call).toContain("is closed");
    await other.use((connection) => connection.run("ROLLBACK"));
    expect(await store(file).get("a")).toBeUndefined();
  });
});

describe("synchronous", () => {
  const levelOf = async (own: SqliteDatabase) =>
    Object.values((await own.use((connection) => connection.query("PRAGMA synchronous")))[0] ?? {});

  it("asks the disk at every commit, or only at checkpoints of the log", async () => {
    expect(await levelOf(database(newFile(), "full"))).toEqual([2]);
    expect(await levelOf(database(newFile(), "normal"))).toEqual([1]);
  });

  it.each([{}, { synchronous: "full" }, { synchronous: "normal" }, { synchronous: undefined }] as const)(
    "may be %j",
    async (options) => {
      const own = store(newFile(), options);
      await own.put("a", bytes("a"), undefined);
      expect((await own.get("a"))?.data).toEqual(bytes("a"));
    },
  );
});
