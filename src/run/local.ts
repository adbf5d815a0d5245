/** Names a value that the library keeps with a run: the nodes, hooks and tools in it find it by their context. */
export class LocalKey<out T> {
  declare readonly type: T;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The value of a run under its key. */
export interface Local {
  readonly key: LocalKey<unknown>;
  readonly value: unknown;
}

/** A run, as far as its local value is concerned. */
export interface LocalRun {
  local: Local | undefined;
  /** The context that the run takes place in. */
  readonly around: { readonly localRun: LocalRun | undefined } | undefined;
}

const given: unique symbol = Symbol("local value");

/** The options of a run that has a local value from its start. */
export function withLocal<Options extends object, T>(options: Options, key: LocalKey<T>, value: T): Options {
  return { ...options, [given]: { key, value } };
}

export function givenLocal(options: object): Local | undefined {
  return Reflect.get(options, given) as Local | undefined;
}

/** The value of this run. */
export function localOf<T>(run: LocalRun | undefined, key: LocalKey<T>): T | undefined {
  return run?.local?.key === key ? (run.local.value as T) : undefined;
}

/** The value of this run, or of the nearest one around it that has it. */
export function nearestLocal<T>(first: LocalRun | undefined, key: LocalKey<T>): T | undefined {
  for (let run = first; run !== undefined; run = run.around?.localRun) {
    if (run.local?.key === key) return run.local.value as T;
  }
  return undefined;
}
