import { checkOptions } from "../check-options.js";
import { invalidMapping, invalidOption } from "./errors.js";
import { type ComputedSource, type FromSource, mappingSource, type Path, type Source } from "./plan/mapping.js";
import type { AnySource, Computed, Constant, FailureOf, FirstOf, From } from "./types/workflow/sources.js";

/** Options of {@link from}. */
export interface FromOptions<DataOnly, Default, Required> {
  /** Waits for this source, but does not make the node depend on whether it has run. @default false */
  readonly dataOnly?: DataOnly | undefined;
  /** The value to use if the data is missing or `undefined`. Plain objects and arrays are copied per run. */
  readonly default?: Default | undefined;
  /** Fails the node with `MAPPING_FAILED` when the data is missing. @default false */
  readonly required?: Required | undefined;
}

/** Accepts any value, and keeps literal types. @internal */
type Given = string | number | bigint | boolean | symbol | object | null | undefined;

/**
 * Reads the output of a node (or START), a part of it by a path, or what a function computes from it. A path is `a.b`, `a.0`, or
 * `a.*.b` for every item of an array. The function may be async; if it throws, the reading node fails.
 *
 * @example
 * const flow = new Workflow<{ hits: { url: string }[] }, { urls: string[]; count: number }>()
 *   .end({ urls: from(START, "hits.*.url"), count: from(START, ({ hits }: { hits: object[] }) => hits.length) });
 */
export function from<
  const Key extends string,
  Default extends Given = never,
  const DataOnly extends boolean = false,
  const Required extends boolean = false,
>(key: Key, options?: FromOptions<DataOnly, Default, Required>): From<Key, "", DataOnly, Default, Required>;
export function from<
  const Key extends string,
  const Path extends string,
  Default extends Given = never,
  const DataOnly extends boolean = false,
  const Required extends boolean = false,
>(
  key: Key,
  path: Path,
  options?: FromOptions<DataOnly, Default, Required>,
): From<Key, Path, DataOnly, Default, Required>;
export function from<const Key extends string, Whole, Made>(
  key: Key,
  read: (whole: Whole) => Made | Promise<Made>,
): Computed<Key, Whole, Made>;
export function from(key: unknown, pathOrOptions?: unknown, given?: unknown): never {
  if (typeof pathOrOptions === "function") return computed(key, pathOrOptions as ComputedSource["read"], given);
  const hasPath = typeof pathOrOptions === "string";
  const { dataOnly = false, required = false, ...rest } = readOptions(key, hasPath ? given : (given ?? pathOrOptions));
  const fallback = "default" in rest && rest.default !== undefined ? { value: rest.default } : undefined;
  const path = hasPath ? readPath(key, pathOrOptions) : [];
  return sourceOf({ kind: "from", key: checkKey(key), path, dataOnly, fallback, required });
}

/**
 * A constant for every run. Plain objects and arrays are copied, so that a run may change its own copy.
 *
 * @example
 * const limit = constant(5);
 */
export function constant<const T extends string | number | bigint | boolean | symbol | null | undefined>(
  value: T,
): Constant<T>;
export function constant<T>(value: T): Constant<T>;
export function constant(value: unknown): never {
  return sourceOf({ kind: "constant", value });
}

/**
 * The first of several sources that is not missing, in the given order. (`null` is not missing.)
 *
 * @example
 * const answer = firstOf(from("long", "text"), from("short"));
 */
export function firstOf<const Froms extends readonly [From<string>, ...From<string>[]]>(
  ...froms: Froms
): FirstOf<Froms> {
  const sources = froms.map((given): FromSource => {
    const source: Source | undefined = isSource(given) ? (given[mappingSource] as Source) : undefined;
    if (source?.kind !== "from") throw invalidOption("firstOf needs sources made with from(key) or from(key, path).");
    return source;
  });
  if (sources.length === 0) throw invalidOption("firstOf needs at least one source: firstOf(from(…), from(…)).");
  return sourceOf({ kind: "first", sources });
}

/**
 * Reads the failure of a node with an error branch, or a part of it by a path. It is missing unless the node has failed.
 *
 * @example
 * const flow = new Workflow<string, string>()
 *   .addNode("search", (text: string) => text.trim(), { input: from(START) })
 *   .addErrorBranch("search", ["sorry"], () => "sorry")
 *   .addNode("sorry", (why: string) => `failed: ${why}`, { input: failureOf("search", "error.message") })
 *   .end(firstOf(from("search"), from("sorry")));
 */
export function failureOf<const Key extends string>(key: Key): FailureOf<Key, "">;
export function failureOf<const Key extends string, const Path extends string>(
  key: Key,
  path: Path,
): FailureOf<Key, Path>;
export function failureOf(key: unknown, path?: unknown): never {
  if (path !== undefined && typeof path !== "string")
    throw invalidOption(`failureOf("${String(key)}", …) needs a path that is a string.`);
  const steps = path === undefined ? [] : readPath(key, path);
  return sourceOf({ kind: "failure", key: checkKey(key), path: steps });
}

function computed(key: unknown, read: ComputedSource["read"], options: unknown): never {
  if (options !== undefined)
    throw invalidOption(`from("${String(key)}", function) takes no options: the function decides what is missing.`);
  return sourceOf({ kind: "computed", key: checkKey(key), read });
}

function sourceOf(source: Source): never {
  return Object.freeze({ [mappingSource]: Object.freeze(source) }) as never;
}

function isSource(given: unknown): given is AnySource {
  return typeof given === "object" && given !== null && mappingSource in given;
}

function checkKey(key: unknown): string {
  if (typeof key === "string" && key !== "") return key;
  throw invalidOption("A source names a node by its key: from(key), from(key, function), failureOf(key).");
}

interface AnyOptions {
  readonly dataOnly?: boolean;
  readonly required?: boolean;
  readonly default?: unknown;
}

const optionNames: readonly string[] = ["dataOnly", "default", "required"];

function readOptions(key: unknown, options: unknown): AnyOptions {
  if (options === undefined) return {};
  if (typeof options !== "object" || options === null)
    throw invalidOption(
      `from("${String(key)}", …) takes a path, which must be a string, or a function, and options, which must be an object.`,
    );
  checkOptions(`from("${String(key)}", …)`, options, optionNames);
  for (const name of ["dataOnly", "required"]) {
    const given: unknown = Reflect.get(options, name);
    if (given !== undefined && typeof given !== "boolean")
      throw invalidOption(`The option ${name} of from("${String(key)}", …) must be true or false.`);
  }
  return options;
}

function readPath(key: unknown, path: string): Path {
  const steps = path.split(".");
  for (const step of steps) {
    if (step === "")
      throw invalidMapping(
        String(key),
        "",
        `is read at "${path}", a path with an empty step. Write a.b, a.0 or a.*.b; for a key with a dot in it, use from(key, function).`,
      );
    if (step === "__proto__")
      throw invalidMapping(String(key), "", `is read at "${path}": "__proto__" is not a readable field.`);
  }
  return steps;
}
