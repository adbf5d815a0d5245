import { RequestContext } from "../../components/request-context.js";
import type { KumikoError } from "../../errors.js";
import { nameOf } from "../../schema/errors.js";
import { isLeafPrototype, plainView } from "./built-in.js";
import { type AnyClassCodec, classNameOf } from "./class-codec.js";
import { deepest } from "./depth.js";
import { codecFailed, notSerializable } from "./errors.js";
import { isError, saveError } from "./saved-error.js";
import { type Tag, Tagged } from "./tagged.js";
import { type PathStep, ValuePath } from "./value-path.js";

type Codecs = ReadonlyMap<object, AnyClassCodec>;

/**
 * Copies a value into what {@link writeGraph} takes. Sharing and cycles stay; getters, and the encoders of classes, are
 * called once. Throws at the first value that cannot be saved.
 */
export class ValueSnapshot {
  readonly #codecs: Codecs;
  readonly #path: ValuePath;
  readonly #copies = new Map<object, unknown>();
  #depth = 0;
  /** What this threw itself: everything else that leaves it comes from code of the value. */
  refusal: KumikoError | undefined;

  constructor(codecs: Codecs, slot: string) {
    this.#codecs = codecs;
    this.#path = new ValuePath(slot);
  }

  /** The place that the walk has come to. */
  get place(): string {
    return this.#path.toString();
  }

  take(value: unknown): unknown {
    if (typeof value === "function") throw this.#refuse("it is a function", "Leave it out: only data can be saved.");
    if (typeof value === "symbol") throw this.#refuse("it is a symbol", "Leave it out: only data can be saved.");
    if (typeof value !== "object" || value === null) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    if (this.#depth >= deepest) {
      const advice = "Keep ids in place of objects that lead to further objects.";
      throw this.#refuse(`it is nested more than ${deepest} levels deep`, advice);
    }
    this.#depth++;
    const copy = this.#object(value);
    this.#depth--;
    return copy;
  }

  #object(value: object): unknown {
    const prototype: object | null = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return this.#record(value, prototype);
    const codec = this.#codecs.get(prototype);
    if (codec !== undefined) return this.#instance(value, codec);
    if (prototype === Array.prototype && Array.isArray(value)) return this.#list(value);
    if (prototype === Map.prototype && value instanceof Map) return this.#map(value);
    if (prototype === Set.prototype && value instanceof Set) return this.#set(value);
    const leaf = isLeafPrototype(prototype) ? value : ArrayBuffer.isView(value) ? plainView(value) : undefined;
    if (leaf !== undefined) return this.#keep(value, leaf);
    if (isError(value)) return this.#error(value);
    throw this.#refuseObject(value);
  }

  #record(value: object, prototype: object | null): unknown {
    const [symbol] = Object.getOwnPropertySymbols(value).filter((key) =>
      Object.prototype.propertyIsEnumerable.call(value, key),
    );
    if (symbol !== undefined) {
      this.#path.push(symbol);
      throw this.#refuse("its key is a symbol", "Use a text as the key.");
    }
    if (Object.hasOwn(value, "__proto__"))
      return this.#tagged("Record", value, (parts) => this.#pairs(value, prototype, parts));
    const copy = this.#keep<Record<string, unknown>>(value, prototype === null ? Object.create(null) : {});
    for (const key of Object.keys(value)) copy[key] = this.#property(value, key);
    return copy;
  }

  /** An own `__proto__` is data like the others, and devalue has no place for it. */
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

  /** The length of a list with holes says nothing of what it costs: only what is there is looked at. */
  #sparse(list: readonly unknown[], copy: unknown[]): unknown {
    const start = copy.length;
    copy[largestIndex] = undefined; // makes it a table, so that no memory is taken for the holes
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
      if (data === value) {
        throw this.#refuse(
          `the codec "${codec.name}" gave back the instance itself`,
          "Let encode give a record of its data.",
        );
      }
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

  #refuse(what: string, advice: string): KumikoError {
    const refusal = notSerializable(this.place, what, advice);
    this.refusal = refusal;
    return refusal;
  }

  #refuseObject(value: object): KumikoError {
    if (value instanceof RequestContext) {
      return this.#refuse(
        "it is the request context, which is never saved",
        "Leave it out, and give it again on resume.",
      );
    }
    if (value instanceof Promise) return this.#refuse("it is a promise", "Await it first.");
    if (Symbol.asyncIterator in value || value instanceof ReadableStream) {
      return this.#refuse("it is a stream", "Read it first, and keep what came out of it.");
    }
    const parent = this.#registeredParentOf(value);
    const hint =
      parent === undefined ? "" : ` (the codec "${parent.name}" is for its parent ${classNameOf(parent.type)})`;
    return this.#refuse(
      `it is ${nameOf(value)}, and no codec is registered for that class${hint}`,
      "Register one with new Runtime({ codecs: [{ name, type, encode, decode }] }) and give the runtime to compile(), or keep plain data.",
    );
  }

  #registeredParentOf(value: object): AnyClassCodec | undefined {
    for (
      let prototype = Object.getPrototypeOf(value);
      prototype !== null;
      prototype = Object.getPrototypeOf(prototype)
    ) {
      const codec = this.#codecs.get(prototype);
      if (codec !== undefined) return codec;
    }
    return undefined;
  }
}

const largestIndex = 2 ** 32 - 2;
