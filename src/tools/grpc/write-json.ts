import { hasPresence, jsonKey, kindOfField, mapKeyOf } from "./fields.js";
import type { Field, Protobuf, Root, Type } from "./protobuf.js";
import { isNullValue } from "./read-json.js";
import { isDefaultScalar, writeScalar } from "./scalars.js";
import { type MessageWriter, wellKnown } from "./well-known.js";

/** How answers are written. */
export interface WriteOptions {
  /** Whether fields that have their default are left out. */
  readonly omitDefaults: boolean;
  /** Where the types of an `Any` are looked for that are not among those of the message. */
  readonly moreTypes?: Root | undefined;
}

/**
 * Writes the JSON of a message by the rules of proto3. A number of an enum that has no name stays a number, and an `Any` of
 * an unknown type has its bytes: nothing that came is lost.
 */
export function writeJson({ protobuf, json }: Protobuf, type: Type, message: object, options: WriteOptions): unknown {
  const writer = new Writer(options, json.toJson, (key, isUnsigned) => keyText(protobuf.util, key, isUnsigned));
  return writer.message(type, message);
}

/** The digits of a key of 64 bits. */
type LongKey = (key: string, isUnsigned: boolean) => string;

class Writer implements MessageWriter {
  readonly special: MessageWriter["special"];
  readonly moreTypes: Root | undefined;
  readonly #options: WriteOptions;
  readonly #longKey: LongKey;

  constructor(options: WriteOptions, special: MessageWriter["special"], longKey: LongKey) {
    this.#options = options;
    this.special = special;
    this.moreTypes = options.moreTypes;
    this.#longKey = longKey;
  }

  message(type: Type, message: object): unknown {
    const known = wellKnown(type);
    if (known !== undefined) return known.write(this, type, message);
    const entries = type.fieldsArray.flatMap((field): [string, unknown][] => {
      const written = this.#field(field, message);
      return written === undefined ? [] : [[jsonKey(field), written]];
    });
    return Object.fromEntries(entries);
  }

  /** `undefined` for a field that is left out. */
  #field(field: Field, message: object): unknown {
    field.resolve();
    const value: unknown = Reflect.get(message, field.name);
    const { omitDefaults } = this.#options;
    const keyType = mapKeyOf(field);
    if (keyType !== undefined) {
      const entries = Object.entries(value ?? {});
      if (entries.length === 0 && omitDefaults) return undefined;
      return Object.fromEntries(entries.map(([key, item]) => [this.#key(keyType, key), this.#single(field, item)]));
    }
    if (field.repeated) {
      const items = Array.isArray(value) ? value : [];
      return items.length === 0 && omitDefaults ? undefined : items.map((item) => this.#single(field, item));
    }
    const isPresent = Object.hasOwn(message, field.name) && value !== null && value !== undefined;
    if (hasPresence(field)) return isPresent ? this.#single(field, value) : undefined;
    if (!isPresent) return omitDefaults ? undefined : this.#single(field, field.typeDefault);
    return omitDefaults && isDefaultScalar(value) ? undefined : this.#single(field, value);
  }

  /** Keys of 64 bits are kept by their bytes. */
  #key(keyType: string, key: string): string {
    return /64$/.test(keyType) ? this.#longKey(key, keyType === "uint64" || keyType === "fixed64") : key;
  }

  #single(field: Field, value: unknown): unknown {
    const { kind, type } = kindOfField(field);
    switch (kind) {
      case "message":
        return this.message(type, value as object);
      case "enum":
        return isNullValue(type) ? null : (type.valuesById[value as number] ?? value);
      case "scalar":
        return writeScalar(type, value);
      default:
        return kind satisfies never;
    }
  }
}

/** The type declarations of the package lack this one. */
function keyText(util: object, key: string, isUnsigned: boolean): string {
  const longFromKey: unknown = Reflect.get(util, "longFromKey");
  return typeof longFromKey === "function" ? String(longFromKey(key, isUnsigned)) : key;
}
