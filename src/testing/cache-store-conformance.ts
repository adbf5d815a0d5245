import type { CacheStore } from "../components/policies.js";
import { type ConformanceCheck, checkMake, expectSame, expectThat, soon } from "./conformance.js";

/** Opens a cache. Called for each check; the cache need not be empty. */
export type OpenCache = () => CacheStore | Promise<CacheStore>;

/**
 * Checks for a `CacheStore`, for any test runner. The checks use unique keys, and wait some milliseconds for entries to
 * expire.
 *
 * @example
 * const checks: ConformanceCheck[] = cacheStoreConformance(() => memoryCache());
 * for (const { run } of checks) await run();
 */
export function cacheStoreConformance(openCache: OpenCache): ConformanceCheck[] {
  checkMake("cacheStoreConformance", openCache);
  return checks.map(([name, check]) => ({
    name,
    run: async () => check(await openCache(), `conformance/${crypto.randomUUID()}/`),
  }));
}

type Check = readonly [name: string, run: (cache: CacheStore, prefix: string) => Promise<void>];

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

async function expectBytes(cache: CacheStore, key: string, expected: Uint8Array | undefined): Promise<void> {
  const found = await soon(cache.get(key), "get");
  expectThat(found === undefined || found instanceof Uint8Array, "get must return a Uint8Array or undefined.");
  expectSame(found?.join(), expected?.join(), `get("${key}")`);
}

const checks: readonly Check[] = [
  ["finds nothing under a key that was never set", (cache, prefix) => expectBytes(cache, `${prefix}none`, undefined)],
  [
    "returns every byte",
    async (cache, prefix) => {
      const all = Uint8Array.from({ length: 256 }, (_, n) => n);
      await soon(cache.set(`${prefix}all`, all), "set");
      await expectBytes(cache, `${prefix}all`, all);
      await soon(cache.set(`${prefix}empty`, bytes()), "set");
      await expectBytes(cache, `${prefix}empty`, bytes());
    },
  ],
  [
    "replaces an existing value",
    async (cache, prefix) => {
      await cache.set(`${prefix}a`, bytes(1));
      await cache.set(`${prefix}a`, bytes(2));
      await expectBytes(cache, `${prefix}a`, bytes(2));
    },
  ],
  [
    "copies the bytes that it receives and returns",
    async (cache, prefix) => {
      const given = bytes(1, 2);
      await cache.set(`${prefix}a`, given);
      given[0] = 9;
      const found = await cache.get(`${prefix}a`);
      await expectBytes(cache, `${prefix}a`, bytes(1, 2));
      if (found !== undefined) found[0] = 9;
      await expectBytes(cache, `${prefix}a`, bytes(1, 2));
    },
  ],
  [
    "forgets an entry when it expires, and not before",
    async (cache, prefix) => {
      await cache.set(`${prefix}short`, bytes(1), 30);
      await cache.set(`${prefix}long`, bytes(1), 60_000);
      await new Promise((resolve) => setTimeout(resolve, 80));
      await expectBytes(cache, `${prefix}short`, undefined);
      await expectBytes(cache, `${prefix}long`, bytes(1));
    },
  ],
  [
    "an entry that is set again gets the expiry of the last call",
    async (cache, prefix) => {
      await cache.set(`${prefix}a`, bytes(1), 30);
      await cache.set(`${prefix}a`, bytes(2));
      await new Promise((resolve) => setTimeout(resolve, 80));
      await expectBytes(cache, `${prefix}a`, bytes(2));
    },
  ],
  [
    "deletes entries by prefix, which is taken literally",
    async (cache, prefix) => {
      const keys = ["x_1", "x_2", "xy1", "X_1", "x%1", "y"];
      for (const key of keys) await cache.set(`${prefix}${key}`, bytes(1));
      await soon(cache.deletePrefix(`${prefix}x_`), "deletePrefix");
      for (const key of keys) await expectBytes(cache, `${prefix}${key}`, key.startsWith("x_") ? undefined : bytes(1));
      await cache.deletePrefix(`${prefix}x%`);
      await expectBytes(cache, `${prefix}x%1`, undefined);
      await expectBytes(cache, `${prefix}xy1`, bytes(1));
    },
  ],
];
