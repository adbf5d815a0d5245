import type { Handler, HandlerErrorListener } from "../callbacks/handler.js";
import type { AnyClassCodec } from "../checkpoint/values/class-codec.js";
import { type Clock, systemClock } from "../components/clock.js";
import type { CacheStore } from "../components/policies.js";
import type { NamedModels } from "../models/model.js";
import type { ConcatRegistry } from "../schema/concat/registry.js";
import type { SchemaValidator } from "../schema/schema-validator.js";

/** The checked options of a runtime. */
export interface RuntimeParts {
  readonly callbacks?: readonly Handler[] | undefined;
  readonly concat?: ConcatRegistry | undefined;
  readonly codecs?: readonly AnyClassCodec[] | undefined;
  readonly schemaValidator?: SchemaValidator | undefined;
  readonly onHandlerError?: HandlerErrorListener | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly cache?: CacheStore | undefined;
}

/** A `Runtime` without option checks, which programs without a runtime of their own need not load. */
export class SharedParts {
  readonly callbacks: readonly Handler[];
  readonly concat: ConcatRegistry | undefined;
  readonly codecs: readonly AnyClassCodec[];
  readonly schemaValidator: SchemaValidator | undefined;
  readonly onHandlerError: HandlerErrorListener;
  /** The clock for all timers of runs. */
  readonly clock: Clock;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly cache: CacheStore | undefined;
  /** Resolves the names of models; only a `Runtime` can. */
  declare readonly models?: NamedModels | undefined;

  constructor({
    callbacks = [],
    concat,
    codecs = [],
    schemaValidator,
    onHandlerError = reportToConsole,
    clock = systemClock,
    random = Math.random,
    cache,
  }: RuntimeParts) {
    this.callbacks = Object.freeze([...callbacks]);
    this.concat = concat;
    this.codecs = codecs;
    this.schemaValidator = schemaValidator;
    this.onHandlerError = onHandlerError;
    this.clock = clock;
    this.random = random;
    this.cache = cache;
  }
}

/** The empty runtime of graphs that were compiled without one. */
export const defaultRuntime: SharedParts = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ new SharedParts({}));

function reportToConsole(...[error, timing, info]: Parameters<HandlerErrorListener>): void {
  console.error(`A handler threw in ${timing} of ${info.component} "${info.name}":`, error);
}
