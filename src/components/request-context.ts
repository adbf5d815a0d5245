declare const valueType: unique symbol;

/** Names one value of a request context, with its type. Make one with {@link contextKey}. */
export interface ContextKey<T> {
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

/** What a run accepts as its request context, and what nodes see: any `RequestContext<…>`. */
export interface AnyRequestContext {
  get(key: never): unknown;
  has(key: never): boolean;
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

  constructor(entries?: Iterable<readonly [keyof Values & string, Values[keyof Values & string]]> | Partial<Values>) {
    if (entries === undefined) return;
    const pairs = isIterable(entries) ? entries : Object.entries(entries);
    for (const [name, value] of pairs) this.#values.set(name, value);
  }

  get<T>(key: ContextKey<T>): T | undefined;
  get<Name extends keyof Values & string>(name: Name): Values[Name] | undefined;
  get(key: string | ContextKey<unknown>): unknown {
    return this.#values.get(nameOf(key));
  }

  set<T>(key: ContextKey<T>, value: T): this;
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): this;
  set(key: string | ContextKey<unknown>, value: unknown): this {
    this.#values.set(nameOf(key), value);
    return this;
  }

  has(key: (keyof Values & string) | ContextKey<unknown>): boolean {
    return this.#values.has(nameOf(key));
  }

  delete(key: (keyof Values & string) | ContextKey<unknown>): boolean {
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

function nameOf(key: string | ContextKey<unknown>): string {
  return typeof key === "string" ? key : key.name;
}

function isIterable<T>(value: Iterable<T> | object): value is Iterable<T> {
  return Symbol.iterator in value;
}
