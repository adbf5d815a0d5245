import { checkOptions } from "../../check-options.js";
import {
  type CachePolicy,
  type CacheStore,
  isCacheStore,
  type NodeFailure,
  type RetryPolicy,
} from "../../components/policies.js";
import { isFields } from "../../is.js";

/** The policies among the options of a node, as given. */
export interface GivenPolicies {
  readonly retry?: boolean | RetryPolicy | undefined;
  readonly timeoutMs?: number | false | undefined;
  readonly idleTimeoutMs?: number | false | undefined;
  readonly cache?: boolean | CachePolicy | undefined;
  readonly fallback?: ((failure: NodeFailure<never>, ctx: never) => unknown) | undefined;
}

/** The policies of a node, with defaults filled in. */
export interface NodePolicies {
  readonly retry: RetrySettings | undefined;
  readonly timeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly cache: CacheSettings | undefined;
  readonly fallback: GivenPolicies["fallback"];
}

export interface RetrySettings {
  readonly attempts: number;
  readonly delayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
  readonly jitter: boolean;
  readonly retryOn: RetryPolicy["retryOn"];
  readonly buffer: boolean;
}

export interface CacheSettings extends CachePolicy {
  readonly store: CacheStore;
}

type Check = readonly [test: (value: unknown) => boolean, wanted: string];
type Checks<T> = { readonly [Name in keyof T]-?: Check };

const isNumber = (value: unknown): value is number => typeof value === "number";
const isWhole = (value: unknown): boolean => Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
const atLeast = (least: number): Check => [
  (value) => isNumber(value) && value >= least,
  `a number of at least ${least}`,
];
const flag: Check = [(value) => typeof value === "boolean", "true or false"];
const call: Check = [(value) => typeof value === "function", "a function"];
const duration: Check = [(value) => isNumber(value) && value > 0 && Number.isFinite(value), "a number above 0"];
const timeLimit: Check = [(value) => value === false || duration[0](value), "a number above 0, or false"];

const retryChecks: Checks<RetryPolicy> = {
  attempts: [(value) => isWhole(value) && (value as number) >= 1, "a whole number of at least 1"],
  delayMs: [(value) => isNumber(value) && value >= 0 && Number.isFinite(value), "a number of at least 0"],
  factor: atLeast(1),
  maxDelayMs: atLeast(0),
  jitter: flag,
  retryOn: call,
  buffer: flag,
};

const cacheChecks: Checks<CachePolicy> = {
  key: call,
  ttlMs: duration,
  store: [isCacheStore, "a CacheStore such as memoryCache()"],
  version: [(value) => typeof value === "string", "a string"],
  coalesce: flag,
};

/** The options of a node that are policies. */
export const policyNames = ["retry", "timeoutMs", "idleTimeoutMs", "cache", "fallback"] as const;

/** Checks values and names of policies. `where` is the owner of the options, and `refuse` creates the error. */
export function checkPolicies(
  where: string,
  { retry, timeoutMs, idleTimeoutMs, cache, fallback }: GivenPolicies,
  refuse: (what: string) => Error,
): void {
  const mustBe = (name: string, wanted: string, value: unknown): Error =>
    refuse(`Options of ${where}: ${name} must be ${wanted} (got ${show(value)}).`);
  const check = (name: string, value: unknown, [test, wanted]: Check): void => {
    if (value !== undefined && !test(value)) throw mustBe(name, wanted, value);
  };
  const checkPolicy = (name: string, given: unknown, checks: Readonly<Record<string, Check>>): void => {
    if (given === undefined || typeof given === "boolean") return;
    if (!isFields(given)) throw mustBe(name, "true, false or an object", given);
    checkOptions(`${name} of ${where}`, given, Object.keys(checks), { refuse });
    for (const [option, known] of Object.entries(checks)) check(`${name}.${option}`, given[option], known);
  };
  checkPolicy("retry", retry, retryChecks);
  check("timeoutMs", timeoutMs, timeLimit);
  check("idleTimeoutMs", idleTimeoutMs, timeLimit);
  checkPolicy("cache", cache, cacheChecks);
  check("fallback", fallback, call);
}

function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : isFields(value) ? "an object" : String(value);
}

/** Resolves the policies of a node; `undefined` if there are none. `noStore` creates the error of a cache without a store. */
export function resolvePolicies(
  given: GivenPolicies,
  defaults: GivenPolicies,
  cacheStore: CacheStore | undefined,
  noStore: () => Error,
): NodePolicies | undefined {
  const { fallback } = given;
  const retry = resolveRetry(given.retry ?? defaults.retry);
  const timeoutMs = (given.timeoutMs ?? defaults.timeoutMs) || undefined;
  const idleTimeoutMs = (given.idleTimeoutMs ?? defaults.idleTimeoutMs) || undefined;
  const cache = resolveCache(given.cache ?? defaults.cache, cacheStore, noStore);
  if ((retry ?? timeoutMs ?? idleTimeoutMs ?? cache ?? fallback) === undefined) return undefined;
  return Object.freeze({ retry, timeoutMs, idleTimeoutMs, cache, fallback });
}

/** A retry policy with its defaults; `undefined` if nothing is retried. */
export function resolveRetry(given: boolean | RetryPolicy | undefined): RetrySettings | undefined {
  if (given === undefined || given === false) return undefined;
  const {
    attempts = 3,
    delayMs = 500,
    factor = 2,
    maxDelayMs = 30_000,
    jitter = true,
    retryOn,
    buffer = false,
  } = given === true ? {} : given;
  return attempts === 1 ? undefined : { attempts, delayMs, factor, maxDelayMs, jitter, retryOn, buffer };
}

function resolveCache(
  given: boolean | CachePolicy | undefined,
  cacheStore: CacheStore | undefined,
  noStore: () => Error,
): CacheSettings | undefined {
  if (given === undefined || given === false) return undefined;
  const policy = given === true ? {} : given;
  const store = policy.store ?? cacheStore;
  if (store === undefined) throw noStore();
  return { ...policy, store };
}
