import { toBase64 } from "../../../schema/base64.js";
import { isTextual, type StructType, type ThriftType } from "../definition.js";
import { constantMismatch, idlInvalid } from "../errors.js";
import type { IdlValue } from "./idl-document.js";
import type { IdlPosition } from "./tokens.js";

/** Resolves a name in a constant, where a value of this type is expected. */
type LookUp = (type: ThriftType, name: string, at: IdlPosition) => unknown;

/** A constant of IDL in the form of an argument. */
export function constantValue(type: ThriftType, value: IdlValue, lookUp: LookUp): unknown {
  const { at } = value;
  if (value.kind === "name") {
    if (type.kind === "bool" && (value.value === "true" || value.value === "false")) return value.value === "true";
    return lookUp(type, value.value, at);
  }
  switch (type.kind) {
    case "bool":
      if (value.kind === "integer") return value.value !== 0n;
      break;
    case "i8":
    case "i16":
    case "i32":
      if (value.kind === "integer") return Number(value.value);
      break;
    case "i64":
      if (value.kind === "integer") return safeInteger(value.value);
      break;
    case "double":
      if (value.kind === "integer" || value.kind === "double") return Number(value.value);
      break;
    case "string":
    case "uuid":
      if (value.kind === "text") return value.value;
      break;
    case "binary":
      if (value.kind === "text") return toBase64(new TextEncoder().encode(value.value));
      break;
    case "enum":
      if (value.kind === "integer") return memberOf(type.members, Number(value.value));
      break;
    case "list":
    case "set":
      if (value.kind === "list") return value.value.map((item) => constantValue(type.of, item, lookUp));
      // what is empty looks alike
      if (value.kind === "map" && value.value.length === 0) return [];
      break;
    case "map":
      if (value.kind === "map") return mapValue(type.key, type.value, value.value, lookUp);
      if (value.kind === "list" && value.value.length === 0) return isTextual(type.key) ? {} : [];
      break;
    case "struct":
    case "union":
    case "exception":
      if (value.kind === "map") return structValue(type, value.value, lookUp);
      break;
    default:
      return type satisfies never;
  }
  throw constantMismatch(at, type.kind);
}

function safeInteger(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** A number that has no name stays one. */
function memberOf(members: ReadonlyMap<string, number>, number: number): string | number {
  for (const [name, value] of members) if (value === number) return name;
  return number;
}

type Pairs = readonly (readonly [IdlValue, IdlValue])[];

function mapValue(keyType: ThriftType, valueType: ThriftType, pairs: Pairs, lookUp: LookUp): unknown {
  const entries = pairs.map(([key, value]): readonly [unknown, unknown] => [
    constantValue(keyType, key, lookUp),
    constantValue(valueType, value, lookUp),
  ]);
  if (isTextual(keyType)) return Object.fromEntries(entries.map(([key, value]) => [String(key), value]));
  return entries.map(([key, value]) => ({ key, value }));
}

function structValue(struct: StructType, pairs: Pairs, lookUp: LookUp): unknown {
  const entries = pairs.map(([key, value]): readonly [string, unknown] => {
    const field = key.kind === "text" ? struct.fields.find(({ name }) => name === key.value) : undefined;
    if (field === undefined) throw idlInvalid(key.at, `this is not the name of a field of "${struct.name}".`);
    return [field.name, constantValue(field.type, value, lookUp)];
  });
  return Object.fromEntries(entries);
}
