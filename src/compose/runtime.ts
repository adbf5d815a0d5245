import type { Handler, HandlerErrorListener } from "../callbacks/handler.js";
import { type ClassCodecs, checkClassCodecs } from "../checkpoint/values/class-codec.js";
import { type Clock, isClock } from "../components/clock.js";
import { type CacheStore, isCacheStore } from "../components/policies.js";
import type { ConcatRegistry } from "../schema/concat/registry.js";
import type { SchemaValidator } from "../schema/schema-validator.js";
import { defaultRuntime, type RuntimeParts, SharedParts } from "./default-runtime.js";
import { invalidOption } from "./errors.js";

export interface RuntimeOptions<Values extends readonly object[] = readonly object[]> {
  /** Handlers of every run of what is compiled with this runtime; they come first. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** How chunks of your classes are joined. */
  readonly concat?: ConcatRegistry | undefined;
  /** How instances of your classes are kept in checkpoints. */
  readonly codecs?: ClassCodecs<Values> | undefined;
  /** Checks values against plain JSON Schemas. @default ajv, loaded at the first such schema */
  readonly schemaValidator?: SchemaValidator | undefined;
  /** Told what handlers throw. @default console.error */
  readonly onHandlerError?: HandlerErrorListener | undefined;
  /** Where time comes from: delays, time limits, timers of runs. @default the clock of the machine */
  readonly clock?: Clock | undefined;
  /** A number from 0 up to 1, for what is left to chance: how long a retry waits. @default Math.random */
  readonly random?: (() => number) | undefined;
  /** Where nodes with `cache` keep their outputs, unless they name a store themselves. */
  readonly cache?: CacheStore | undefined;
}

const names: readonly string[] = [
  "callbacks",
  "concat",
  "codecs",
  "schemaValidator",
  "onHandlerError",
  "clock",
  "random",
  "cache",
] satisfies (keyof RuntimeOptions)[];

/**
 * What is shared by everything compiled with it: handlers, concat rules and codecs for classes, the JSON Schema validator.
 * There are no process-wide registries.
 *
 * @example
 * const runtime = new Runtime({ callbacks: [consoleTracer()] });
 * const app = graph.compile({ runtime });
 */
export class Runtime<Values extends readonly object[] = readonly object[]> extends SharedParts {
  /** The one used when none is given. Frozen, and empty. */
  static readonly default: Runtime = defaultRuntime;

  constructor(options: RuntimeOptions<Values> = {}) {
    super(checkOptions(options));
  }
}

function checkOptions<Values extends readonly object[]>(options: RuntimeOptions<Values>): RuntimeParts {
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined) throw invalidOption(`A Runtime has no option "${other}". There are ${names.join(", ")}.`);
  if (options.callbacks !== undefined && !Array.isArray(options.callbacks)) {
    throw invalidOption("The option callbacks of a Runtime must be a list of handlers.");
  }
  if (options.onHandlerError !== undefined && typeof options.onHandlerError !== "function") {
    throw invalidOption("The option onHandlerError of a Runtime must be a function.");
  }
  if (options.random !== undefined && typeof options.random !== "function") {
    throw invalidOption("The option random of a Runtime must be a function.");
  }
  if (options.clock !== undefined && !isClock(options.clock)) {
    throw invalidOption("The option clock of a Runtime must be a Clock: { now, setTimer, clearTimer }.");
  }
  if (options.cache !== undefined && !isCacheStore(options.cache)) {
    throw invalidOption("The option cache of a Runtime must be a CacheStore: memoryCache(), ….");
  }
  return { ...options, codecs: checkClassCodecs(options.codecs ?? []) };
}
