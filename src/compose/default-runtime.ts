import type { Handler, HandlerErrorListener } from "../callbacks/handler.js";
import type { AnyClassCodec } from "../checkpoint/values/class-codec.js";
import type { ConcatRegistry } from "../schema/concat/registry.js";
import type { SchemaValidator } from "../schema/schema-validator.js";

/** What a runtime holds, checked. */
export interface RuntimeParts {
  readonly callbacks?: readonly Handler[] | undefined;
  readonly concat?: ConcatRegistry | undefined;
  readonly codecs?: readonly AnyClassCodec[] | undefined;
  readonly schemaValidator?: SchemaValidator | undefined;
  readonly onHandlerError?: HandlerErrorListener | undefined;
}

/** A `Runtime` without the checks of its options: a program that makes no runtime of its own does not load them. */
export class SharedParts {
  readonly callbacks: readonly Handler[];
  readonly concat: ConcatRegistry | undefined;
  readonly codecs: readonly AnyClassCodec[];
  readonly schemaValidator: SchemaValidator | undefined;
  readonly onHandlerError: HandlerErrorListener;

  constructor({
    callbacks = [],
    concat,
    codecs = [],
    schemaValidator,
    onHandlerError = reportToConsole,
  }: RuntimeParts) {
    this.callbacks = Object.freeze([...callbacks]);
    this.concat = concat;
    this.codecs = codecs;
    this.schemaValidator = schemaValidator;
    this.onHandlerError = onHandlerError;
    Object.freeze(this);
  }
}

/** What graphs have in common that were compiled without a runtime: nothing. */
export const defaultRuntime: SharedParts = /* @__PURE__ */ new SharedParts({});

function reportToConsole(...[error, timing, info]: Parameters<HandlerErrorListener>): void {
  console.error(`A handler threw in ${timing} of ${info.component} "${info.name}":`, error);
}
