import { type ConformanceCheck, checkMake } from "./conformance.js";
import { entryChecks } from "./vectors/entry-checks.js";
import { filterChecks } from "./vectors/filter-checks.js";
import { indexChecks } from "./vectors/index-checks.js";
import { queryChecks } from "./vectors/query-checks.js";
import { type OpenVectors, type VectorCheck, VectorStage } from "./vectors/vector-stage.js";
import { wordChecks } from "./vectors/word-checks.js";

/**
 * Checks for a `VectorStore`, for any test runner: indexes, entries, exact search by three metrics, filters, text search, and indexes of
 * words only. Each
 * check opens a store, uses an index with a unique name, and closes the store.
 *
 * @example
 * for (const { name, run } of vectorStoreConformance(() => memoryVectors())) await run().catch(() => console.error(name));
 */
export function vectorStoreConformance(openStore: OpenVectors): ConformanceCheck[] {
  checkMake("vectorStoreConformance", openStore);
  const check: VectorCheck = (name, run) => ({
    name,
    run: async () => {
      const stage = new VectorStage(await openStore());
      try {
        await run(stage);
        await stage.store.deleteIndex(stage.indexName).catch(() => undefined);
      } finally {
        await stage.store.close();
      }
    },
  });
  return [indexChecks, entryChecks, queryChecks, wordChecks, filterChecks].flatMap((checks) => checks(check));
}
