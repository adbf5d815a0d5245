import type { Handler, HandlerErrorListener } from "../callbacks/handler.js";
import { type ClassCodecs, checkClassCodecs } from "../checkpoint/values/class-codec.js";
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
}

const names: readonly string[] = [
  "callbacks",
  "concat",
  "codecs",
  "schemaValidator",
  "onHandlerError",
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
  return { ...options, codecs: checkClassCodecs(options.codecs ?? []) };
}
