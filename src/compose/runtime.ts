import type { Handler, HandlerErrorListener } from "../callbacks/handler.js";
import { checkOptions } from "../check-options.js";
import { type ClassCodecs, checkClassCodecs } from "../checkpoint/values/class-codec.js";
import { type Clock, isClock } from "../components/clock.js";
import { type CacheStore, isCacheStore } from "../components/policies.js";
import { hasMethod } from "../is.js";
import type { NamedModels } from "../models/model.js";
import type { ConcatRegistry } from "../schema/concat/registry.js";
import type { SchemaValidator } from "../schema/schema-validator.js";
import { defaultRuntime, type RuntimeParts, SharedParts } from "./default-runtime.js";
import { invalidOption } from "./errors.js";

/** Options of a {@link Runtime}. */
export interface RuntimeOptions<Values extends readonly object[] = readonly object[]> {
  /** Handlers for every run of graphs compiled with this runtime, called before all others. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** How chunks of your classes are joined. */
  readonly concat?: ConcatRegistry | undefined;
  /** How instances of your classes are saved in checkpoints. */
  readonly codecs?: ClassCodecs<Values> | undefined;
  /** Checks values against plain JSON Schemas. @default ajv, loaded at the first such schema */
  readonly schemaValidator?: SchemaValidator | undefined;
  /** Called when a handler throws. @default console.error */
  readonly onHandlerError?: HandlerErrorListener | undefined;
  /** The clock for delays and time limits of runs. @default the system clock */
  readonly clock?: Clock | undefined;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for the delays of retries. @default Math.random */
  readonly random?: (() => number) | undefined;
  /** The store for outputs of nodes with `cache`, unless a node has its own. */
  readonly cache?: CacheStore | undefined;
  /**
   * Resolves the names of models: a provider registry, custom provider or gateway of the AI SDK as it is, or a function of the name.
   * Agents and the functions of `kumiko/models` then take `"openai:gpt-5"` in place of a model.
   */
  readonly models?: NamedModels | undefined;
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
  "models",
] satisfies (keyof RuntimeOptions)[];

/**
 * The parts shared by all graphs compiled with it: handlers, concat rules and codecs for classes, the JSON Schema validator. There
 * are no process-wide registries.
 *
 * @example
 * const runtime = new Runtime({ callbacks: [consoleTracer()] });
 * const app = graph.compile({ runtime });
 */
export class Runtime<Values extends readonly object[] = readonly object[]> extends SharedParts {
  /** The runtime used when none is given. Empty and frozen. */
  static readonly default: Runtime = defaultRuntime;
  /** Resolves the names of models. */
  override readonly models?: NamedModels | undefined;

  constructor(options: RuntimeOptions<Values> = {}) {
    super(partsOf(options));
    this.models = options.models;
    Object.freeze(this);
  }
}

function partsOf<Values extends readonly object[]>(options: RuntimeOptions<Values>): RuntimeParts {
  checkOptions("a Runtime", options, names);
  if (options.callbacks !== undefined && !Array.isArray(options.callbacks)) {
    throw invalidOption("The option callbacks of a Runtime must be an array of handlers.");
  }
  if (options.onHandlerError !== undefined && typeof options.onHandlerError !== "function") {
    throw invalidOption("The option onHandlerError of a Runtime must be a function.");
  }
  if (options.random !== undefined && typeof options.random !== "function") {
    throw invalidOption("The option random of a Runtime must be a function.");
  }
  if (options.clock !== undefined && !isClock(options.clock)) {
    throw invalidOption("The option clock of a Runtime must be a Clock, such as { now, setTimer, clearTimer }.");
  }
  if (options.cache !== undefined && !isCacheStore(options.cache)) {
    throw invalidOption("The option cache of a Runtime must be a CacheStore, such as memoryCache().");
  }
  const { models } = options;
  if (models !== undefined && typeof models !== "function" && !hasMethod(models, "languageModel")) {
    throw invalidOption(
      "The option models of a Runtime must be a registry of the AI SDK with languageModel, such as createProviderRegistry({ openai }), or a function of the name.",
    );
  }
  return { ...options, codecs: checkClassCodecs(options.codecs ?? []) };
}
