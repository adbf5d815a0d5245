/** What runs in processes of its own, for `vectors/processes.test.ts`: `node vectors-child.mjs <what> <file> …`. */
import { writeSync } from "node:fs";
import { KumikoError } from "kumiko";
import { sqliteStore, sqliteVectors } from "kumiko/sqlite";
import { vectorStoreConformance } from "kumiko/testing";
import { roundOf } from "./vectors/round.js";

const [what, file = "", ...rest] = process.argv.slice(2);

const say = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`);
const codeOf = (error: unknown) => (KumikoError.is(error) ? error.code : String(error));

const programs: Record<string, () => Promise<void>> = {
  async conformance() {
    for (const { name, run } of vectorStoreConformance(() => sqliteVectors(file))) {
      say([name, await run().then(() => "holds", String)]);
    }
  },
  /** Replaces all entries again and again, until it is killed. */
  async write() {
    const store = sqliteVectors(file);
    await store.createIndex({ indexName: "docs", dimension: 8 });
    for (let round = Number(rest[0]); ; round++) {
      await store.upsert({ indexName: "docs", ...roundOf(round) });
      say(round);
    }
  },
  /** Adds entries of its own. */
  async add() {
    const store = sqliteVectors(file);
    await store.createIndex({ indexName: "docs", dimension: 2 });
    for (let left = 20; left > 0; left--) {
      await store.upsert({ indexName: "docs", ids: [`${rest[0]} ${left}`], vectors: [[1, left]], documents: ["word"] });
    }
    await store.close();
    say("done");
  },
  /** Uses a store for checkpoints and one for vectors in one process, and says what asking for another driver gives. */
  async both() {
    const [checkpoints, vectors] = [sqliteStore(file), sqliteVectors(file)];
    await checkpoints.put("a", new Uint8Array([1]), undefined);
    await vectors.createIndex({ indexName: "docs", dimension: 2 });
    const outcomes: Record<string, unknown> = {};
    for (const driver of ["node:sqlite", "libsql"] as const) {
      const other = sqliteVectors(file, { driver });
      outcomes[driver] = await other.listIndexes().catch(codeOf);
      await other.close();
    }
    await Promise.all([checkpoints.close(), vectors.close()]);
    say(outcomes);
  },
};

await programs[what ?? ""]?.();
