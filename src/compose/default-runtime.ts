import type { Handler, HandlerErrorListener } from "../callbacks/handler.js";
import type { AnyClassCodec } from "../checkpoint/values/class-codec.js";
import { type Clock, systemClock } from "../components/clock.js";
import type { CacheStore } from "../components/policies.js";
import type { ConcatRegistry } from "../schema/concat/registry.js";
import type { SchemaValidator } from "../schema/schema-validator.js";

/** What a runtime holds, checked. */
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

/** A `Runtime` without the checks of its options: a program that makes no runtime of its own does not load them. */
export class SharedParts {
  readonly callbacks: readonly Handler[];
  readonly concat: ConcatRegistry | undefined;
  readonly codecs: readonly AnyClassCodec[];
  readonly schemaValidator: SchemaValidator | undefined;
  readonly onHandlerError: HandlerErrorListener;
  /** All timers of runs are set on it. */
  readonly clock: Clock;
  /** A number from 0 up to 1, which is left out. */
  readonly random: () => number;
  readonly cache: CacheStore | undefined;

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
    Object.freeze(this);
  }
}

/** What graphs have in common that were compiled without a runtime: nothing. */
export const defaultRuntime: SharedParts = /* @__PURE__ */ new SharedParts({});

function reportToConsole(...[error, timing, info]: Parameters<HandlerErrorListener>): void {
  console.error(`A handler threw in ${timing} of ${info.component} "${info.name}":`, error);
}
