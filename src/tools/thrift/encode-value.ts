import { isFields, isObject } from "../../is.js";
import { fromBase64 } from "../../schema/base64.js";
import {
  type FieldDefinition,
  isTextual,
  type MapType,
  type StructType,
  type ThriftType,
  wireTypes,
} from "./definition.js";
import { argumentMismatch, argumentMissing, argumentUnknown, unionNeedsOne, uuidUnsupported } from "./errors.js";
import type { Protocol, ThriftPackage } from "./load-thrift.js";

/** Writes arguments in the form of JSON as Thrift values. Throws where one does not fit, before anything is sent. */
export class ThriftValueEncoder {
  readonly #protocol: Protocol;
  readonly #Int64: ThriftPackage["Int64"];

  constructor(protocol: Protocol, { Int64 }: Pick<ThriftPackage, "Int64">) {
    this.#protocol = protocol;
    this.#Int64 = Int64;
  }

  /** `name` is that of the struct in messages: no protocol sends it. */
  writeFields(
    name: string,
    fields: readonly FieldDefinition[],
    value: Readonly<Record<string, unknown>>,
    path: string,
  ): void {
    const protocol = this.#protocol;
    const unknown = Object.keys(value).find((key) => !fields.some((field) => field.name === key));
    if (unknown !== undefined && value[unknown] !== undefined) throw argumentUnknown(path, unknown, fields);
    protocol.writeStructBegin(name);
    for (const field of fields) {
      const given = Object.hasOwn(value, field.name) ? (value[field.name] ?? undefined) : undefined;
      const item = given ?? field.fallback;
      const at = path === "" ? field.name : `${path}.${field.name}`;
      if (item === undefined) {
        if (field.isRequired) throw argumentMissing(at);
        continue;
      }
      protocol.writeFieldBegin(field.name, wireTypes[field.type.kind], field.id);
      this.write(field.type, item, at);
      protocol.writeFieldEnd();
    }
    protocol.writeFieldStop();
    protocol.writeStructEnd();
  }

  write(type: ThriftType, value: unknown, path: string): void {
    switch (type.kind) {
      case "struct":
      case "union":
      case "exception":
        this.#writeStruct(type, value, path);
        break;
      case "list":
      case "set":
        this.#writeList(type, value, path);
        break;
      case "map":
        this.#writeMap(type, value, path);
        break;
      case "enum":
        this.#protocol.writeI32(memberNumber(type.members, value, path));
        break;
      default:
        this.#writeScalar(type.kind, value, path);
        break;
    }
  }

  #writeStruct(struct: StructType, value: unknown, path: string): void {
    if (!isFields(value)) throw argumentMismatch(path, "an object", value);
    if (struct.kind === "union") {
      const given = Object.keys(value).filter((key) => value[key] !== undefined && value[key] !== null);
      if (given.length !== 1) throw unionNeedsOne(path, struct.fields, given);
    }
    this.writeFields(struct.name, struct.fields, value, path);
  }

  #writeList(
    { kind, of }: { readonly kind: "list" | "set"; readonly of: ThriftType },
    value: unknown,
    path: string,
  ): void {
    const protocol = this.#protocol;
    const items = Array.isArray(value) ? value : value instanceof Set ? [...value] : undefined;
    if (items === undefined) throw argumentMismatch(path, "an array", value);
    if (kind === "set") protocol.writeSetBegin(wireTypes[of.kind], items.length);
    else protocol.writeListBegin(wireTypes[of.kind], items.length);
    for (const [index, item] of items.entries()) this.write(of, item, `${path}[${index}]`);
    if (kind === "set") protocol.writeSetEnd();
    else protocol.writeListEnd();
  }

  #writeMap(type: MapType, value: unknown, path: string): void {
    const protocol = this.#protocol;
    const pairs = pairsOf(type, value, path);
    protocol.writeMapBegin(wireTypes[type.key.kind], wireTypes[type.value.kind], pairs.length);
    for (const { key, item, at } of pairs) {
      this.write(type.key, typeof key === "string" ? keyOf(type.key, key) : key, `the key of ${at}`);
      this.write(type.value, item, at);
    }
    protocol.writeMapEnd();
  }

  #writeScalar(kind: Exclude<keyof typeof wireTypes, "enum">, value: unknown, path: string): void {
    const protocol = this.#protocol;
    switch (kind) {
      case "bool":
        if (typeof value !== "boolean") throw argumentMismatch(path, "true or false", value);
        protocol.writeBool(value);
        break;
      case "i8":
        protocol.writeByte(Number(integer(value, 8, path)));
        break;
      case "i16":
        protocol.writeI16(Number(integer(value, 16, path)));
        break;
      case "i32":
        protocol.writeI32(Number(integer(value, 32, path)));
        break;
      case "i64":
        protocol.writeI64(this.#int64(integer(value, 64, path)));
        break;
      case "double":
        protocol.writeDouble(double(value, path));
        break;
      case "binary":
        protocol.writeBinary(bytes(value, path));
        break;
      case "uuid":
        if (protocol.writeUuid === undefined) throw uuidUnsupported();
        protocol.writeUuid(uuid(value, path));
        break;
      default:
        if (typeof value !== "string") throw argumentMismatch(path, "a string", value);
        protocol.writeString(value);
        break;
    }
  }

  #int64(value: bigint) {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64BE(value);
    return new this.#Int64(buffer);
  }
}

function memberNumber(members: ReadonlyMap<string, number>, value: unknown, path: string): number {
  if (typeof value === "number" && value === (value | 0)) return value;
  const number = typeof value === "string" ? members.get(value) : undefined;
  if (number === undefined) throw argumentMismatch(path, `one of ${[...members.keys()].join(", ")}`, value);
  return number;
}

/** Digits too: a number of JSON may not hold them. */
function integer(value: unknown, bits: number, path: string): bigint {
  const isWhole =
    typeof value === "bigint" ||
    (typeof value === "number" && Number.isInteger(value)) ||
    (typeof value === "string" && /^-?\d{1,20}$/.test(value));
  if (!isWhole) throw argumentMismatch(path, "a whole number", value);
  const whole = BigInt(value as bigint | number | string);
  if (BigInt.asIntN(bits, whole) !== whole) throw argumentMismatch(path, `a whole number of ${bits} bits`, value);
  return whole;
}

/** JSON has no numbers for some. */
const oddNumbers: ReadonlyMap<unknown, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

function double(value: unknown, path: string): number {
  const number = typeof value === "bigint" ? Number(value) : (oddNumbers.get(value) ?? value);
  if (typeof number !== "number") throw argumentMismatch(path, "a number", value);
  return number;
}

function bytes(value: unknown, path: string): Uint8Array {
  const found = typeof value === "string" ? fromBase64(value) : value;
  if (!(found instanceof Uint8Array)) throw argumentMismatch(path, "base64", value);
  return Buffer.from(found.buffer, found.byteOffset, found.byteLength);
}

function uuid(value: unknown, path: string): string {
  if (typeof value !== "string" || !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value))
    throw argumentMismatch(path, "a UUID", value);
  return value.toLowerCase();
}

interface Pair {
  readonly key: unknown;
  readonly item: unknown;
  readonly at: string;
}

/** An object, or a list of `{ key, value }` if the keys are not strings. */
function pairsOf({ key: keyType }: MapType, value: unknown, path: string): Pair[] {
  if (value instanceof Map) return [...value].map(([key, item]) => ({ key, item, at: `${path}[${String(key)}]` }));
  if (isTextual(keyType)) {
    if (!isFields(value)) throw argumentMismatch(path, "an object", value);
    return Object.entries(value).map(([key, item]) => ({ key, item, at: `${path}[${JSON.stringify(key)}]` }));
  }
  if (!Array.isArray(value)) throw argumentMismatch(path, "an array of { key, value }", value);
  return value.map((pair: unknown, index) => {
    const at = `${path}[${index}]`;
    if (!isObject(pair) || !("key" in pair) || !("value" in pair)) throw argumentMismatch(at, "{ key, value }", pair);
    return { key: pair.key, item: pair.value, at };
  });
}

/** The value that a key of an object stands for. */
function keyOf({ kind }: ThriftType, key: string): unknown {
  if (kind === "bool") return key === "true" ? true : key === "false" ? false : key;
  if (kind === "double" && key.trim() !== "" && !Number.isNaN(Number(key))) return Number(key);
  if (kind === "enum" && /^-?\d+$/.test(key)) return Number(key);
  return key;
}
