import type { KumikoError } from "../errors.js";
import { isFields } from "../is.js";
import type { NodeContext } from "./context.js";

/** When a node is retried, and after what delay. */
export interface RetryPolicy {
  /** The number of attempts, including the first. @default 3 */
  readonly attempts?: number | undefined;
  /** How long to wait before the second attempt. @default 500 */
  readonly delayMs?: number | undefined;
  /** The factor by which each further delay grows. @default 2 */
  readonly factor?: number | undefined;
  /** The maximum delay. If a service asks for a longer one (`retry-after`), there is no further attempt. @default 30_000 */
  readonly maxDelayMs?: number | undefined;
  /** Waits between 50 % and 100 % of the delay, so that callers do not all retry at the same time. @default true */
  readonly jitter?: boolean | undefined;
  /** Which failures to retry; `attempt` is the number of the one that failed. @default defaultRetryOn */
  readonly retryOn?: ((error: unknown, info: { readonly attempt: number }) => boolean) | undefined;
  /**
   * Holds a stream back until it is complete, so that a failure in the middle of it can be retried too. Otherwise, there is
   * no further attempt once a chunk has been passed on. @default false
   */
  readonly buffer?: boolean | undefined;
}

/** Which outputs of a node are cached, where, and for how long. */
export interface CachePolicy<In = never> {
  /** Returns the cache key; `undefined` for an input that must not be cached. @default the input */
  readonly key?: ((input: In, ctx: NodeContext) => string | undefined) | undefined;
  /** How long an output is cached. @default forever */
  readonly ttlMs?: number | undefined;
  /** The cache to use. @default `cache` of the `Runtime` */
  readonly store?: CacheStore | undefined;
  /**
   * Part of every key, with the name of the graph, the path of the node, and its input: change it when the node returns other
   * outputs than before. Whatever else the output depends on (request context, state, options) must be part of `key`.
   */
  readonly version?: string | undefined;
  /** Lets concurrent requests for the same output wait for the first one. @default false */
  readonly coalesce?: boolean | undefined;
}

/** A cache for outputs of nodes, such as `memoryCache()`; `cacheStoreConformance` from `kumiko/testing` tests your own. */
export interface CacheStore {
  /**
   * Whether its entries end with the process. Otherwise, graphs that use it need a `name`, which tells their entries apart.
   * @default false
   */
  readonly isVolatile?: boolean | undefined;
  /** Returns the value of a key; `undefined` if there is none, or if it has expired. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores a value under a key, for `ttlMs` milliseconds or without a limit. */
  set(key: string, data: Uint8Array, ttlMs?: number): Promise<void>;
  /** Deletes all keys that start with the prefix. */
  deletePrefix(prefix: string): Promise<void>;
}

/** The final failure of a node, as passed to `fallback` and to the target of an error branch. */
export interface NodeFailure<In = unknown> {
  /** The key of the node. */
  readonly node: string;
  /** Its input, after `before` and `inputKey`; `undefined` if it failed before it had an input. */
  readonly input: In;
  /** The error. What your code threw is its `cause`. */
  readonly error: KumikoError;
  /** The number of attempts. */
  readonly attempts: number;
}

/** Whether something can keep outputs. */
export function isCacheStore(given: unknown): boolean {
  return (
    isFields(given) && ["get", "set", "deletePrefix"].every((name) => typeof Reflect.get(given, name) === "function")
  );
}
