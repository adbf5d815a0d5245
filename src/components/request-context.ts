declare const valueType: unique symbol;

/** Names one value of a request context, with its type. Make one with {@link contextKey}. */
export interface ContextKey<T> {
  /** The name under which the value is stored. */
  readonly name: string;
  readonly [valueType]?: ((value: T) => T) | undefined;
}

/**
 * Names one value of a request context, so that reading it needs no type argument.
 *
 * @example
 * const userId = contextKey<string>("userId");
 * const requestContext = new RequestContext().set(userId, "u-1");
 * const id: string | undefined = requestContext.get(userId);
 */
export function contextKey<T>(name: string): ContextKey<T> {
  return Object.freeze({ name });
}

/** The key of a value of any type: a `ContextKey` is invariant. @internal */
interface AnyContextKey {
  readonly name: string;
  readonly [valueType]?: ((value: never) => unknown) | undefined;
}

/** The request context that a run accepts and nodes see: any `RequestContext<…>`. */
export interface AnyRequestContext {
  /** Returns a value by its name; `undefined` if there is none. */
  get(key: never): unknown;
  /** Whether there is a value with this name. */
  has(key: never): boolean;
  /** The names and values. */
  entries(): IterableIterator<[string, unknown]>;
}

/**
 * Values of one request (user, tenant, locale, clients …) for every node and tool of a run: dependency injection without
 * globals. The same object is seen everywhere in the run; it is never saved in a checkpoint.
 *
 * @example
 * const requestContext = new RequestContext<{ userId: string; plan: "free" | "pro" }>([["userId", "u-1"]]);
 * requestContext.set("plan", "pro");
 * await app.invoke(input, { requestContext });
 */
export class RequestContext<Values extends object = Record<string, unknown>> {
  readonly #values = new Map<string, unknown>();

  /** `entries` are pairs of a name or key and a value, or a record. */
  constructor(entries?: Iterable<EntryOf<Values>> | Partial<Values>) {
    if (entries === undefined) return;
    const pairs: Iterable<readonly [string | AnyContextKey, unknown]> = isIterable(entries)
      ? entries
      : Object.entries(entries);
    for (const [key, value] of pairs) this.#values.set(nameOf(key), value);
  }

  get<T>(key: ContextKey<T>): T | undefined;
  get<Name extends keyof Values & string>(name: Name): Values[Name] | undefined;
  get(key: string | AnyContextKey): unknown {
    return this.#values.get(nameOf(key));
  }

  set<T>(key: ContextKey<T>, value: T): this;
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): this;
  set(key: string | AnyContextKey, value: unknown): this {
    this.#values.set(nameOf(key), value);
    return this;
  }

  has(key: (keyof Values & string) | AnyContextKey): boolean {
    return this.#values.has(nameOf(key));
  }

  delete(key: (keyof Values & string) | AnyContextKey): boolean {
    return this.#values.delete(nameOf(key));
  }

  get size(): number {
    return this.#values.size;
  }

  keys(): IterableIterator<string> {
    return this.#values.keys();
  }

  values(): IterableIterator<unknown> {
    return this.#values.values();
  }

  entries(): IterableIterator<[string, unknown]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): IterableIterator<[string, unknown]> {
    return this.#values.entries();
  }
}

/** @internal */
type EntryOf<Values> =
  | readonly [name: keyof Values & string, value: Values[keyof Values & string]]
  | readonly [key: AnyContextKey, value: unknown];

function nameOf(key: string | AnyContextKey): string {
  return typeof key === "string" ? key : key.name;
}

function isIterable<T>(value: Iterable<T> | object): value is Iterable<T> {
  return Symbol.iterator in value;
}
