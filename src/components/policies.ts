import type { KumikoError } from "../errors.js";
import { isFields } from "../is.js";
import type { NodeContext } from "./context.js";

/** When a node is tried again, and after how long. */
export interface RetryPolicy {
  /** How often it is tried, the first time included. @default 3 */
  readonly attempts?: number | undefined;
  /** How long to wait before the second attempt. @default 500 */
  readonly delayMs?: number | undefined;
  /** How much longer each further wait is. @default 2 */
  readonly factor?: number | undefined;
  /** No wait is longer. Where a service asks for a longer one (`retry-after`), there is no further attempt. @default 30_000 */
  readonly maxDelayMs?: number | undefined;
  /** Waits between half of the time and all of it, so that callers do not come back together. @default true */
  readonly jitter?: boolean | undefined;
  /** Which failures are worth another attempt; `attempt` is the number of the one that failed. @default defaultRetryOn */
  readonly retryOn?: ((error: unknown, info: { readonly attempt: number }) => boolean) | undefined;
  /**
   * Holds a stream back until it is whole, so that a failure in the middle of it can be retried too. Without it there is no
   * further attempt once a chunk was handed on. @default false
   */
  readonly buffer?: boolean | undefined;
}

/** Which outputs of a node are kept, where, and for how long. */
export interface CachePolicy<In = never> {
  /** What an output is found by; `undefined` for an input that is not to be cached. @default the input */
  readonly key?: ((input: In, ctx: NodeContext) => string | undefined) | undefined;
  /** How long an output is kept. @default for ever */
  readonly ttlMs?: number | undefined;
  /** Where outputs are kept. @default `cache` of the `Runtime` */
  readonly store?: CacheStore | undefined;
  /** A part of every key: change it when the node gives something else than before. */
  readonly version?: string | undefined;
  /** Lets visits that look for the same output at the same time wait for the first of them. @default false */
  readonly coalesce?: boolean | undefined;
}

/** Where outputs of nodes are kept. `memoryCache()` is one; `cacheStoreConformance` of `kumiko/testing` checks others. */
export interface CacheStore {
  /** What is kept under a key; `undefined` when there is nothing, or its time is over. */
  get(key: string): Promise<Uint8Array | undefined>;
  set(key: string, data: Uint8Array, ttlMs?: number): Promise<void>;
  /** Forgets all keys that begin so. */
  deletePrefix(prefix: string): Promise<void>;
}

/** A node that has failed for good, as `fallback` and the target of an error branch get it. */
export interface NodeFailure<In = unknown> {
  /** Its key. */
  readonly node: string;
  /** What it got, after `before` and `inputKey`; `undefined` when it failed before it had an input. */
  readonly input: In;
  /** What it failed with. What your code threw is its `cause`. */
  readonly error: KumikoError;
  /** How often it was tried. */
  readonly attempts: number;
}

/** Whether something can keep outputs. */
export function isCacheStore(given: unknown): boolean {
  return (
    isFields(given) && ["get", "set", "deletePrefix"].every((name) => typeof Reflect.get(given, name) === "function")
  );
}
