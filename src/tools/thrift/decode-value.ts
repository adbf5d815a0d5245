import { toBase64 } from "../../schema/base64.js";
import { type FieldDefinition, isStruct, isTextual, type ThriftType, wireTypes } from "./definition.js";
import { answerDamaged, uuidUnsupported } from "./errors.js";
import { bigintOf } from "./json-protocol.js";
import type { Int64, Protocol } from "./load-thrift.js";

/** Reads Thrift values in the form of JSON. Integers that a number cannot hold are bigints. */
export class ThriftValueDecoder {
  readonly #protocol: Protocol;

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  /** Fields that are not known, or have another type, are skipped, as all readers of Thrift do. */
  readFields(fields: readonly FieldDefinition[]): Record<string, unknown> {
    const protocol = this.#protocol;
    const found: (readonly [string, unknown])[] = [];
    protocol.readStructBegin();
    for (;;) {
      const { ftype, fid } = protocol.readFieldBegin();
      if (ftype === 0) break;
      const field = fields.find(({ id }) => id === fid);
      if (field === undefined || wireTypes[field.type.kind] !== ftype) protocol.skip(ftype);
      else found.push([field.name, this.read(field.type)]);
      protocol.readFieldEnd();
    }
    protocol.readStructEnd();
    return Object.fromEntries(found);
  }

  read(type: ThriftType): unknown {
    const protocol = this.#protocol;
    if (isStruct(type)) return this.readFields(type.fields);
    switch (type.kind) {
      case "bool":
        return protocol.readBool();
      case "i8":
        return protocol.readByte();
      case "i16":
        return protocol.readI16();
      case "i32":
        return protocol.readI32();
      case "i64":
        return integerOf(protocol.readI64());
      case "double":
        return jsonNumber(protocol.readDouble());
      case "string":
        return protocol.readString();
      case "binary":
        return toBase64(protocol.readBinary());
      case "uuid":
        if (protocol.readUuid === undefined) throw uuidUnsupported();
        return protocol.readUuid();
      case "enum":
        return memberName(type.members, protocol.readI32());
      case "list":
      case "set":
        return this.#readList(type);
      case "map":
        return this.#readMap(type);
      default:
        return type satisfies never;
    }
  }

  #readList({ kind, of }: { readonly kind: "list" | "set"; readonly of: ThriftType }): unknown[] {
    const protocol = this.#protocol;
    const { etype, size } = kind === "set" ? protocol.readSetBegin() : protocol.readListBegin();
    checkPart(kind, size, etype, of);
    const items: unknown[] = [];
    for (let index = 0; index < size; index++) items.push(this.read(of));
    if (kind === "set") protocol.readSetEnd();
    else protocol.readListEnd();
    return items;
  }

  #readMap({ key: keyType, value: valueType }: { readonly key: ThriftType; readonly value: ThriftType }): unknown {
    const protocol = this.#protocol;
    const { ktype, vtype, size } = protocol.readMapBegin();
    checkPart("map", size, ktype, keyType);
    checkPart("map", size, vtype, valueType);
    const pairs: { key: unknown; value: unknown }[] = [];
    for (let index = 0; index < size; index++) {
      const key = this.read(keyType);
      pairs.push({ key, value: this.read(valueType) });
    }
    protocol.readMapEnd();
    if (!isTextual(keyType)) return pairs;
    return Object.fromEntries(pairs.map(({ key, value }) => [String(key), value]));
  }
}

/** Without this check, anything could follow. */
function checkPart(kind: string, size: number, found: number, expected: ThriftType): void {
  if (!(size >= 0)) throw answerDamaged(`a ${kind} has the size ${size}`);
  if (size > 0 && found !== wireTypes[expected.kind]) {
    throw answerDamaged(`a ${kind} of ${expected.kind} has parts of another type (${found})`);
  }
}

function integerOf(given: Int64): number | bigint {
  const value = bigintOf(given);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** JSON has no such numbers, so they become strings. */
function jsonNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** A number that this definition does not know stays one. */
function memberName(members: ReadonlyMap<string, number>, value: number): string | number {
  for (const [name, number] of members) if (number === value) return name;
  return value;
}
