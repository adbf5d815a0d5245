import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { StoredCheckpoint } from "kumiko/compose";
import { sqliteStore } from "kumiko/sqlite";
import { checkpointStoreConformance } from "kumiko/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { SqliteDatabase } from "../../../src/stores/sqlite/database.js";
import { bundleChild, findRuntimes, killChildren, outputOf, startChild } from "./child-process.js";
import { contentOf, countOf, rowOf } from "./content.js";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-sqlite-"));
const runtimes = await findRuntimes();
const names = checkpointStoreConformance(() => sqliteStore(":memory:")).map(({ name }) => name);
const kills = 20;
let script = "";

beforeAll(async () => {
  script = await bundleChild(folder);
}, 60_000);
afterEach(killChildren);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What SQLite itself finds wrong with a file. */
async function integrityOf(file: string): Promise<unknown> {
  const database = new SqliteDatabase({
    store: "sqliteStore",
    file,
    location: file,
    synchronous: "full",
    patienceSeconds: 30,
    prepare: () => undefined,
  });
  try {
    return (await database.use((connection) => connection.query("PRAGMA integrity_check"))).map(Object.values);
  } finally {
    await database.close();
  }
}

/** Whether a row is one that the program `append` wrote, at some moment. */
function expectWhole(row: StoredCheckpoint | undefined): void {
  if (row === undefined) throw new Error("There is no row.");
  const { version: _, ...content } = row;
  expect(isDeepStrictEqual(content, rowOf(countOf(row.data) + (row.appended?.length ?? 0)))).toBe(true);
}

const missing = " (skipped: this Node.js has none, and npm gave no other)";

describe.each(runtimes)("sqliteStore in processes with $name", { timeout: 60_000 }, ({ name, command = [] }) => {
  const there = command.length > 0;
  const test = it.skipIf(!there);
  const label = there ? "" : missing;
  const fileOf = (what: string) => join(folder, `${what}-${name.replace(":", "-")}.db`);
  const start = (...args: string[]) => startChild(command, script, ...args);

  describe.skipIf(!there)(`the contract${label}`, () => {
    let outcomes: Map<unknown, unknown>;
    beforeAll(async () => {
      const said = await outputOf(start("conformance", fileOf("conformance")));
      outcomes = new Map(said.filter(Array.isArray).map(([check, outcome]) => [check, outcome]));
    }, 60_000);
    it.each(names)("%s", (check) => expect(outcomes.get(check)).toBe("holds"));
  });

  test(`prints nothing when it is imported${label}`, async () => {
    const child = start("import");
    expect(await outputOf(child)).toEqual(["function"]);
    expect((await child.end).stderr).toBe("");
  });

  test(`keeps every acknowledged put of a process that is killed, ${kills} times${label}`, {
    timeout: 120_000,
  }, async () => {
    const file = fileOf("killed");
    for (let round = 0; round < kills; round++) {
      const child = start("write", file, `round-${round}`);
      let last = 0;
      for await (const line of child.lines) {
        last = Number(line);
        // in the middle of something, each time at another place
        if (last === 1 + round) setTimeout(() => child.process.kill("SIGKILL"), Math.random() * 5);
      }
      expect(last).toBeGreaterThan(round);
      const store = sqliteStore(file);
      const shared = await store.get("shared");
      const own = await store.get(`round-${round}/${last}`);
      await store.close();
      expect([contentOf(last), contentOf(last + 1)]).toContainEqual(shared?.data);
      // the next turn may have deleted it before it was killed, but only after it wrote what comes after it
      expect([contentOf(last), undefined]).toContainEqual(own?.data);
      if (own === undefined) expect(shared?.data).toEqual(contentOf(last + 1));
    }
    expect(await integrityOf(file)).toEqual([["ok"]]);
  });

  test(`keeps every acknowledged append of a process that is killed, ${kills} times${label}`, {
    timeout: 120_000,
  }, async () => {
    const file = fileOf("killed-appends");
    const reader = sqliteStore(file);
    for (let round = 0; round < kills; round++) {
      const child = start("append", file, `round-${round}`);
      let last = 0;
      let reads: Promise<unknown> = Promise.resolve();
      for await (const line of child.lines) {
        last = Number(line);
        if (last === 1 + round) setTimeout(() => child.process.kill("SIGKILL"), Math.random() * 5);
        // while it goes on: never a base with the entries of another
        if (last % 3 === 0) reads = reads.then(() => reader.get(`round-${round}`)).then(expectWhole);
      }
      await reads;
      expect(last).toBeGreaterThan(round);
      const { version: _, ...row } = (await reader.get(`round-${round}`)) ?? {};
      expect([rowOf(last), rowOf(last + 1)]).toContainEqual(row);
    }
    await reader.close();
    expect(await integrityOf(file)).toEqual([["ok"]]);
  });

  test(`loses no entry of four processes, which create the file together${label}`, async () => {
    const file = fileOf("joined");
    const names = ["a", "b", "c", "d"];
    const children = names.map((name) => start("join", file, name, "25"));
    expect(await Promise.all(children.map(outputOf))).toEqual([["done"], ["done"], ["done"], ["done"]]);
    const store = sqliteStore(file);
    const { data, appended = [] } = (await store.get("joined")) ?? {};
    await store.close();
    const entries = (data === undefined ? [] : [data, ...appended]).map((entry) => new TextDecoder().decode(entry));
    for (const name of names) {
      const own = entries.filter((entry) => entry.startsWith(`${name}/`));
      expect(own).toEqual(Array.from({ length: 25 }, (_, n) => `${name}/${25 - n}`));
    }
    expect(entries).toHaveLength(100);
  });

  test(`loses no update of four processes, which create the file together${label}`, async () => {
    const file = fileOf("counter");
    const children = [1, 2, 3, 4].map(() => start("add", file, "50"));
    expect(await Promise.all(children.map(outputOf))).toEqual([["done"], ["done"], ["done"], ["done"]]);
    const store = sqliteStore(file);
    expect(new TextDecoder().decode((await store.get("counter"))?.data)).toBe("200");
    await store.close();
  });
});

it("finds its file where the process was when the store was made", { timeout: 60_000 }, async () => {
  const [{ command = [] } = {}] = runtimes;
  const file = relative(process.cwd(), join(folder, "moved.db"));
  await outputOf(startChild(command, script, "move", file, tmpdir()));
  const store = sqliteStore(join(folder, "moved.db"));
  expect((await store.get("a"))?.data).toEqual(contentOf(1));
  await store.close();
});

it("says what to install where there is no SQLite", { timeout: 60_000 }, async () => {
  const [{ command = [] } = {}] = runtimes;
  const nowhere = await bundleChild(folder, "node_modules/there-is-no-libsql/index.js");
  const [outcome] = await outputOf(startChild(command, nowhere, "fail", join(folder, "never.db")));
  expect(outcome).toMatchObject({ code: "PACKAGE_MISSING", message: expect.stringContaining("npm install libsql") });
});
