import { invalidOption } from "../../compose/errors.js";
import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";

/**
 * How instances of one of your classes are saved in checkpoints. A codec applies to exactly its class: saving an instance of a
 * subclass without a codec of its own throws `NOT_SERIALIZABLE`.
 *
 * @example
 * class Money { constructor(readonly cents: bigint, readonly currency: string) {} }
 * const runtime = new Runtime({
 *   codecs: [
 *     {
 *       name: "money",
 *       type: Money,
 *       encode: ({ cents, currency }: Money) => ({ cents, currency }),
 *       decode: (data: { cents: bigint; currency: string }) => new Money(data.cents, data.currency),
 *     },
 *   ],
 * });
 * const app = graph.compile({ runtime });
 */
export interface ClassCodec<Value extends object, Data = never> {
  /** The name of the class in checkpoints. Keep it when you rename or move the class. */
  readonly name: string;
  /** The class itself. */
  readonly type: { readonly prototype: Value };
  /** Returns the data of an instance: anything that can itself be saved, such as plain objects, dates, maps, and instances of other registered classes. */
  readonly encode: (value: Value) => unknown;
  /**
   * Makes the instance from what `encode` returned. Where the data refers back to the instance itself, it holds `undefined`
   * during the call; the instance is put there right afterwards, so keep the objects and arrays of the data, not copies.
   */
  readonly decode: (data: Data) => Value;
}

/** Any {@link ClassCodec} at all. @internal */
export interface AnyClassCodec {
  readonly name: string;
  readonly type: { readonly prototype: object };
  readonly encode: (value: never) => unknown;
  readonly decode: (data: never) => object;
}

/** An array of codecs, each typed by its own class. @internal */
export type ClassCodecs<Values extends readonly object[]> = {
  readonly [Index in keyof Values]: ClassCodec<Values[Index]>;
};

/** Returns a frozen copy. Throws for an invalid codec, and for two with the same name or class. */
export function checkClassCodecs(codecs: unknown): readonly AnyClassCodec[] {
  if (!Array.isArray(codecs)) throw invalidOption("The option codecs of a Runtime must be an array of class codecs.");
  const byName = new Set<string>();
  const byType = new Map<unknown, string>();
  const checked = codecs.map((codec: unknown, index) => {
    const { name, type, encode, decode } = checkClassCodec(codec, `codecs[${index}] of a Runtime`);
    if (byName.has(name)) throw invalidOption(`Two codecs of a Runtime have the name "${name}". Give each its own.`);
    const other = byType.get(type.prototype);
    if (other !== undefined) {
      throw invalidOption(
        `The codecs "${other}" and "${name}" of a Runtime are both for ${classNameOf(type)}. Keep one of them.`,
      );
    }
    byName.add(name);
    byType.set(type.prototype, name);
    return Object.freeze({ name, type, encode, decode });
  });
  return Object.freeze(checked);
}

function checkClassCodec(codec: unknown, where: string): AnyClassCodec {
  if (!isFields(codec))
    throw invalidOption(`${where} must be { name, type, encode, decode }, but is ${kindOf(codec)}.`);
  const { name, type, encode, decode } = codec;
  if (typeof name !== "string" || name === "")
    throw invalidOption(`${where} needs a name: a string that is not empty.`);
  const named = `${where} ("${name}")`;
  if (!isClass(type)) throw invalidOption(`The type of ${named} must be a class, but is ${kindOf(type)}.`);
  if (type.prototype === Object.prototype || type.prototype === Array.prototype) {
    throw invalidOption(
      `The type of ${named} is ${classNameOf(type)}, which needs no codec. Give it a class of your own.`,
    );
  }
  if (!isFunction(encode)) throw invalidOption(`${named} needs encode: a function from an instance to data.`);
  if (!isDecode(decode)) throw invalidOption(`${named} needs decode: a function from the data to an instance.`);
  return { name, type, encode, decode };
}

/** The name of a class in error messages. */
export function classNameOf(type: { readonly prototype: object }): string {
  const name: unknown = Reflect.get(type, "name");
  return typeof name === "string" && name !== "" ? name : "a class without a name";
}

const isClass = (value: unknown): value is AnyClassCodec["type"] =>
  typeof value === "function" && typeof value.prototype === "object" && value.prototype !== null;

const isFunction = (value: unknown): value is AnyClassCodec["encode"] => typeof value === "function";

const isDecode = (value: unknown): value is AnyClassCodec["decode"] => typeof value === "function";
