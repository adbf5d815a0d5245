import type { KumikoError } from "../../errors.js";
import { codecFailed, notSerializable } from "../checkpoint-errors.js";
import type { AnyClassCodec } from "./class-codec.js";
import { deepest } from "./depth.js";
import { localPrototype } from "./local-prototype.js";
import { setOwn } from "./own-property.js";
import { isError, saveError } from "./saved-error.js";
import { type Tag, Tagged } from "./tagged.js";
import { isBigintTooLong, longestPattern } from "./value-limits.js";
import { type PathStep, ValuePath } from "./value-path.js";
import {
  bigintIsTooLong,
  encodesToItself,
  functionIsNotSaved,
  patternIsTooLong,
  symbolIsNotSaved,
  symbolKeyIsNotSaved,
  tooDeep,
  type WhyNotSaved,
  whyInstanceIsNotSaved,
} from "./why-not-saved.js";

type Codecs = ReadonlyMap<object, AnyClassCodec>;

/**
 * Copies a value into the form that {@link writeGraph} takes. Sharing and cycles are kept; getters and class encoders are called
 * once. Throws at the first value that cannot be saved.
 */
export class ValueEncoder {
  readonly #codecs: Codecs;
  readonly #path: ValuePath;
  readonly #copies = new Map<object, unknown>();
  #depth = 0;
  /** The error that this class threw. Any other error comes from code of the value, such as a getter. */
  refusal: KumikoError | undefined;

  constructor(codecs: Codecs, slot: string) {
    this.#codecs = codecs;
    this.#path = new ValuePath(slot);
  }

  /** The path of the current value. */
  get place(): string {
    return this.#path.toString();
  }

  /** All objects that were copied. */
  get objects(): Iterable<object> {
    return this.#copies.keys();
  }

  take(value: unknown): unknown {
    if (typeof value === "function") throw this.#refuse(functionIsNotSaved);
    if (typeof value === "symbol") throw this.#refuse(symbolIsNotSaved);
    if (typeof value === "bigint" && isBigintTooLong(value)) throw this.#refuse(bigintIsTooLong);
    if (typeof value !== "object" || value === null) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    if (this.#depth >= deepest) throw this.#refuse(tooDeep(deepest));
    this.#depth++;
    const copy = this.#object(value);
    this.#depth--;
    return copy;
  }

  #object(value: object): unknown {
    const own: object | null = Object.getPrototypeOf(value);
    const codec = own === null ? undefined : this.#codecs.get(own);
    if (codec !== undefined) return this.#instance(value, codec);
    const prototype = own === null || own === Object.prototype ? own : localPrototype(own);
    if (prototype === null || prototype === Object.prototype) return this.#record(value, prototype);
    if (isOf(value, prototype, Array)) return this.#list(value);
    if (isOf(value, prototype, Map)) return this.#map(value);
    if (isOf(value, prototype, Set)) return this.#set(value);
    const leaf = plainLeaf(value, prototype);
    if (leaf !== undefined) return this.#leaf(value, leaf, prototype);
    if (isError(value)) return this.#error(value);
    throw this.#refuse(whyInstanceIsNotSaved(value, this.#codecs));
  }

  #leaf(value: object, leaf: object, prototype: object): unknown {
    if (isOf(value, prototype, RegExp) && value.source.length > longestPattern) throw this.#refuse(patternIsTooLong);
    if (prototype === BigInt.prototype) this.take(value.valueOf()); // a boxed one has the same limit
    return this.#keep(value, leaf);
  }

  #record(value: object, prototype: object | null): unknown {
    const [symbol] = Object.getOwnPropertySymbols(value).filter((key) =>
      Object.prototype.propertyIsEnumerable.call(value, key),
    );
    if (symbol !== undefined) {
      this.#path.push(symbol);
      throw this.#refuse(symbolKeyIsNotSaved);
    }
    if (Object.hasOwn(value, "__proto__"))
      return this.#tagged("Record", value, (parts) => this.#pairs(value, prototype, parts));
    const copy = this.#keep<Record<string, unknown>>(value, prototype === null ? Object.create(null) : {});
    for (const key of Object.keys(value)) setOwn(copy, key, this.#property(value, key));
    return copy;
  }

  /** A record with an own `__proto__`, which devalue cannot represent, as a list of keys and values. */
  #pairs(value: object, prototype: object | null, parts: unknown[]): void {
    const pairs: unknown[] = [];
    parts.push(prototype === null, pairs);
    for (const key of Object.keys(value)) pairs.push(key, this.#property(value, key));
  }

  #property(value: object, key: string): unknown {
    this.#path.push(key);
    const copy = this.take(Reflect.get(value, key));
    this.#path.pop();
    return copy;
  }

  #step(step: PathStep, value: unknown): unknown {
    this.#path.push(step);
    const copy = this.take(value);
    this.#path.pop();
    return copy;
  }

  #list(list: readonly unknown[]): unknown {
    const copy = this.#keep<unknown[]>(list, []);
    for (let index = 0; index < list.length; index++) {
      this.#path.push(index);
      const item = list[index];
      if (item === undefined && !Object.hasOwn(list, index)) {
        this.#path.pop();
        return this.#sparse(list, copy);
      }
      copy.push(this.take(item));
      this.#path.pop();
    }
    return copy;
  }

  /** Copies a list with holes: only existing items are visited, however large the length is. */
  #sparse(list: readonly unknown[], copy: unknown[]): unknown {
    const start = copy.length;
    copy[largestIndex] = undefined; // switches the engine to dictionary mode, so that holes take no memory
    Reflect.deleteProperty(copy, largestIndex);
    copy.length = list.length;
    for (const key of Object.keys(list)) {
      const index = Number(key);
      if (index >= start && index <= largestIndex && String(index) === key)
        copy[index] = this.#step(index, list[index]);
    }
    return copy;
  }

  #map(map: ReadonlyMap<unknown, unknown>): unknown {
    const copy = this.#keep(map, new Map());
    let index = 0;
    for (const [key, value] of map) {
      const isObject = typeof key === "object" && key !== null;
      const copiedKey = this.#entry("keys", index, key);
      copy.set(copiedKey, isObject ? this.#entry("values", index, value) : this.#step({ mapKey: key }, value));
      index++;
    }
    return copy;
  }

  #set(set: ReadonlySet<unknown>): unknown {
    const copy = this.#keep(set, new Set());
    let index = 0;
    for (const value of set) copy.add(this.#entry("values", index++, value));
    return copy;
  }

  #entry(list: string, index: number, value: unknown): unknown {
    this.#path.push(list);
    const copy = this.#step(index, value);
    this.#path.pop();
    return copy;
  }

  #error(error: Error): unknown {
    const { type, texts, links, fields } = saveError(error);
    return this.#tagged("Error", error, (parts) => parts.push(type, texts, this.take(links), this.take(fields)));
  }

  #instance(value: object, codec: AnyClassCodec): unknown {
    return this.#tagged("Class", value, (parts) => {
      const data = this.#encode(value, codec);
      if (data === value) throw this.#refuse(encodesToItself(codec.name));
      parts.push(codec.name, this.take(data));
    });
  }

  #encode(value: object, { name, encode }: AnyClassCodec): unknown {
    try {
      return encode(value as never);
    } catch (error) {
      this.refusal = codecFailed(this.place, name, error);
      throw this.refusal;
    }
  }

  #tagged(tag: Tag, original: object, fill: (parts: unknown[]) => void): Tagged {
    const tagged = this.#keep(original, new Tagged(tag));
    this.#depth += 2; // written as lists in lists
    fill(tagged.parts);
    this.#depth -= 2;
    return tagged;
  }

  #keep<Copy>(original: object, copy: Copy): Copy {
    this.#copies.set(original, copy);
    return copy;
  }

  #refuse([what, advice]: WhyNotSaved): KumikoError {
    const refusal = notSerializable(this.place, what, advice);
    this.refusal = refusal;
    return refusal;
  }
}

const largestIndex = 2 ** 32 - 2;

/** Whether a value is an instance of exactly this built-in class, and not of a subclass. */
function isOf<Type extends abstract new (...args: never[]) => object>(
  _value: object,
  prototype: object,
  type: Type,
): _value is InstanceType<Type> {
  return prototype === type.prototype;
}

/** The form in which an instance of a built-in class without inner values is saved; `undefined` for all other objects. */
function plainLeaf(value: object, prototype: object): object | undefined {
  if (ArrayBuffer.isView(value)) return plainView(value, prototype);
  return leaves.some((type) => type.prototype === prototype) ? value : undefined;
}

const leaves: readonly { readonly prototype: object }[] = [
  Date,
  RegExp,
  URL,
  URLSearchParams,
  ArrayBuffer,
  Number,
  String,
  Boolean,
  BigInt,
];

/**
 * A view whose buffer holds no other bytes: the rest of a shared buffer (Node.js pools them) must not be saved. A view of a whole
 * buffer is returned as it is.
 */
function plainView(view: ArrayBufferView, prototype: object): ArrayBufferView | undefined {
  const type = viewTypeOf(view);
  const isBuffer = prototype === nodeBufferPrototype();
  if (type === undefined || !(prototype === type.prototype || isBuffer)) return undefined;
  const { buffer, byteOffset, byteLength } = view;
  const isWhole = byteLength === buffer.byteLength && tagOf(buffer) === "ArrayBuffer";
  return isWhole && !isBuffer ? view : new type(new Uint8Array(buffer, byteOffset, byteLength).slice().buffer);
}

type ViewType = new (buffer: ArrayBufferLike) => ArrayBufferView;

function viewTypeOf(view: ArrayBufferView): ViewType | undefined {
  const type: unknown = Reflect.get(globalThis, tagOf(view));
  return isViewType(type) ? type : undefined;
}

const tagOf = (value: object): string => Object.prototype.toString.call(value).slice("[object ".length, -1);

const isViewType = (type: unknown): type is ViewType => typeof type === "function" && "prototype" in type;

function nodeBufferPrototype(): unknown {
  const type: unknown = Reflect.get(globalThis, "Buffer");
  return typeof type === "function" ? type.prototype : undefined;
}
