import { checkOptions } from "../check-options.js";
import { type Clock, isClock, systemClock } from "../components/clock.js";
import type { CacheStore } from "../components/policies.js";
import { isSize } from "../schema/stream/size.js";
import { kindOf } from "../wording.js";
import { invalidOption } from "./errors.js";

/** Options of {@link memoryCache}. */
export interface MemoryCacheOptions {
  /** How many outputs are kept; the least recently used one is removed first. @default 1_000 */
  readonly maxEntries?: number | undefined;
  /** The clock by which entries expire. @default the system clock */
  readonly clock?: Clock | undefined;
}

/**
 * Creates a cache that keeps outputs of nodes in the memory of this process.
 *
 * @example
 * const runtime = new Runtime({ cache: memoryCache({ maxEntries: 500 }) });
 * const app = new Chain<string>()
 *   .append((text) => text.length, { cache: { ttlMs: 60_000 } })
 *   .compile({ runtime });
 */
export function memoryCache(options: MemoryCacheOptions = {}): CacheStore {
  checkOptions("memoryCache", options, ["maxEntries", "clock"]);
  const { maxEntries = 1_000, clock = systemClock } = options;
  if (!isSize(maxEntries)) {
    throw invalidOption(
      `memoryCache: maxEntries must be a whole number of at least 1, or Infinity (got ${String(maxEntries)}).`,
    );
  }
  if (!isClock(clock)) {
    throw invalidOption(`memoryCache: clock must have now, setTimer and clearTimer (got ${kindOf(clock)}).`);
  }
  return new MemoryCache(maxEntries, clock);
}

interface Entry {
  readonly data: Uint8Array;
  /** When it expires. */
  readonly until: number;
}

class MemoryCache implements CacheStore {
  readonly isVolatile = true;
  /** The entries, the most recently used last. */
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;
  readonly #clock: Clock;

  constructor(maxEntries: number, clock: Clock) {
    this.#maxEntries = maxEntries;
    this.#clock = clock;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= this.#clock.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.data.slice();
  }

  async set(key: string, data: Uint8Array, ttlMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.#entries.delete(key);
    this.#entries.set(key, { data: data.slice(), until: this.#clock.now() + ttlMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) return;
      this.#entries.delete(oldest);
    }
  }

  async deletePrefix(prefix: string): Promise<void> {
    for (const key of [...this.#entries.keys()]) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}
