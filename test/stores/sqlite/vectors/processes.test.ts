import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteVectors } from "kumiko/sqlite";
import { vectorStoreConformance } from "kumiko/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { bundleChild, findRuntimes, killChildren, outputOf, startChild } from "../child-process.js";
import { roundOf, vectorOf } from "./round.js";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-sqlite-vectors-"));
const runtimes = await findRuntimes();
const names = vectorStoreConformance(() => sqliteVectors(":memory:")).map(({ name }) => name);
const kills = 12;
let script = "";

beforeAll(async () => {
  script = await bundleChild(folder, undefined, "vectors-child.ts");
}, 60_000);
afterEach(killChildren);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The rounds that are found in each place where an entry stands. */
async function roundsIn(file: string): Promise<{ rounds: unknown[]; byWords: number; count: number }> {
  const store = sqliteVectors(file);
  const options = { indexName: "docs", topK: 1_000, includeVector: true };
  const found = await store.query({ ...options, queryVector: vectorOf(0) });
  const rounds = new Set(found.map(({ metadata }) => metadata.round));
  const [round] = rounds;
  for (const { document, vector } of found) {
    if (document !== `round${round}` || vector?.[1] !== Number(round) + 1) rounds.add([document, vector]);
  }
  const byWords = (await store.query({ ...options, queryText: `round${round}` })).length;
  const { count } = await store.describeIndex("docs");
  await store.close();
  return { rounds: [...rounds], byWords, count };
}

const missing = " (skipped: this Node.js has none, and npm gave no other)";

describe.each(runtimes)("sqliteVectors in processes with $name", { timeout: 60_000 }, ({ name, command = [] }) => {
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

  test(`keeps each upsert whole when its process is killed in the middle of it, ${kills} times${label}`, {
    timeout: 120_000,
  }, async () => {
    const file = fileOf("killed");
    const { ids = [] } = roundOf(0);
    let [last, inTheMiddle] = [0, 0];
    for (let kill = 0; kill < kills; kill++) {
      const child = start("write", file, String(last + 1));
      const until = last + 2;
      for await (const line of child.lines) {
        last = Number(line);
        if (last === until) setTimeout(() => child.process.kill("SIGKILL"), kill * 2);
      }
      const { rounds, byWords, count } = await roundsIn(file);
      expect([[last], [last + 1]]).toContainEqual(rounds);
      expect([byWords, count]).toEqual([ids.length, ids.length]);
      if (Number(rounds[0]) === last) inTheMiddle += 1;
      last = Number(rounds[0]);
    }
    expect(inTheMiddle).toBeGreaterThan(0);
  });

  test(`loses no entry of three processes, which make the index together${label}`, async () => {
    const file = fileOf("added");
    const children = ["a", "b", "c"].map((letter) => start("add", file, letter));
    expect(await Promise.all(children.map(outputOf))).toEqual([["done"], ["done"], ["done"]]);
    const store = sqliteVectors(file);
    expect((await store.describeIndex("docs")).count).toBe(60);
    expect(await store.query({ indexName: "docs", queryText: "word", topK: 100 })).toHaveLength(60);
    await store.close();
  });

  test(`shares a file and one SQLite with sqliteStore, and refuses the other one${label}`, async () => {
    const [outcomes] = await outputOf(start("both", fileOf("both")));
    const other = name === "libsql" ? "node:sqlite" : "libsql";
    expect(outcomes).toEqual({ [name]: ["docs"], [other]: "INVALID_OPTION" });
  });
});
