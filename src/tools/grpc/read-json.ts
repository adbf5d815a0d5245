import { isFields } from "../../is.js";
import type { StandardIssue } from "../../schema/standard-schema.js";
import { list } from "../../wording.js";
import { isRequired, jsonKey, jsonKeys, kindOfField, mapKeyOf, oneofOf } from "./fields.js";
import type { Enum, Field, Protobuf, Type } from "./protobuf.js";
import { readKey, readScalar } from "./scalars.js";
import { type MessageReader, wellKnown } from "./well-known.js";

type Path = readonly (string | number)[];

/** A message as protobufjs encodes it, or all that is wrong with its JSON. */
export type ReadMessage =
  | { readonly message: object; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/**
 * Reads the JSON of a message by the rules of proto3: fields by their JSON names or those of the file, `null` as absent,
 * 64-bit integers as texts, numbers or bigints. A field that the message does not have is an issue, not a loss. `rounded`
 * says that large numbers have lost digits on the way, which is no fault of theirs.
 */
export function messageFromJson({ json }: Protobuf, type: Type, value: unknown, rounded: boolean): ReadMessage {
  const reader = new Reader(rounded, json.fromJson);
  const message = reader.message(type, value, []);
  if (reader.issues.length > 0 || message === undefined) return { issues: reader.issues };
  return { message };
}

/** protobufjs sends no message that is deeper, and other implementations read none. */
const deepest = 100;

class Reader implements MessageReader {
  readonly rounded: boolean;
  readonly special: MessageReader["special"];
  readonly issues: StandardIssue[] = [];
  #depth = 0;

  constructor(rounded: boolean, special: MessageReader["special"]) {
    this.rounded = rounded;
    this.special = special;
  }

  note(path: Path, message: string): undefined {
    this.issues.push({ message, path });
  }

  message(type: Type, json: unknown, path: Path): object | undefined {
    if (this.#depth > deepest) return this.note(path, `messages can be nested ${deepest} deep`);
    this.#depth++;
    try {
      const known = wellKnown(type);
      return known === undefined ? this.#fields(type, json, path) : known.read(this, type, json, path);
    } finally {
      this.#depth--;
    }
  }

  #fields(type: Type, json: unknown, path: Path): object | undefined {
    if (!isFields(json)) return this.note(path, "expected an object");
    const fields = fieldsByKey(type);
    const given = new Map<Field, string>();
    // without a prototype: a field may have any name
    const message: Record<string, unknown> = Object.create(null);
    for (const [key, value] of Object.entries(json)) {
      const field = fields.get(key);
      if (field === undefined) this.note([...path, key], `unknown field: ${type.name} has ${fieldList(type)}`);
      else if (isAbsent(field, value)) continue;
      else if (this.#isFirst(field, key, given, path)) message[field.name] = this.#field(field, value, [...path, key]);
    }
    for (const field of type.fieldsArray) {
      if (isRequired(field) && !given.has(field)) this.note([...path, jsonKey(field)], "required, but missing");
    }
    return message;
  }

  /** Whether neither this field nor another one of its oneof was given before. */
  #isFirst(field: Field, key: string, given: Map<Field, string>, path: Path): boolean {
    const before = given.get(field);
    given.set(field, key);
    if (before !== undefined)
      this.note([...path, key], `"${before}" and "${key}" are the same field: give one of them`);
    const oneof = oneofOf(field);
    const other = oneof?.members.find((member) => member !== field && given.has(member));
    if (oneof !== undefined && other !== undefined) {
      this.note([...path, key], `give "${key}" or "${given.get(other)}", not both (oneof ${oneof.name})`);
    }
    return before === undefined && other === undefined;
  }

  #field(field: Field, json: unknown, path: Path): unknown {
    const keyType = mapKeyOf(field);
    if (keyType !== undefined) return this.#map(field, keyType, json, path);
    if (!field.repeated) return this.#single(field, json, path);
    if (!Array.isArray(json)) return this.note(path, "expected a list");
    return json.map((item, index) => this.#single(field, item, [...path, index]));
  }

  #map(field: Field, keyType: string, json: unknown, path: Path): unknown {
    if (!isFields(json)) return this.note(path, "expected an object");
    const map: Record<string, unknown> = Object.create(null);
    for (const [key, value] of Object.entries(json)) {
      const read = readKey(keyType, key);
      if (!("value" in read)) this.note([...path, key], `expected ${read.expected}`);
      else if (Object.hasOwn(map, String(read.value))) this.note([...path, key], "this key is there twice");
      else map[String(read.value)] = this.#single(field, value, [...path, key]);
    }
    return map;
  }

  #single(field: Field, json: unknown, path: Path): unknown {
    const { kind, type } = kindOfField(field);
    switch (kind) {
      case "message":
        return this.message(type, json, path);
      case "enum":
        return this.#enum(type, json, path);
      case "scalar": {
        const read = readScalar(type, json, this.rounded);
        return "value" in read ? read.value : this.note(path, `expected ${read.expected}`);
      }
      default:
        return kind satisfies never;
    }
  }

  #enum(type: Enum, json: unknown, path: Path): unknown {
    if (typeof json === "string" && Object.hasOwn(type.values, json)) return type.values[json];
    if (isNullValue(type) && json === null) return 0;
    if (typeof json === "number" && Number.isInteger(json) && Math.abs(json) <= 2 ** 31) {
      if (type.valuesById[json] !== undefined || isOpen(type)) return json;
    }
    return this.note(path, `expected one of ${list(Object.keys(type.values), 50)}`);
  }
}

/** `null` is a value for two types, and stands for an absent field in all others. */
function isAbsent(field: Field, value: unknown): boolean {
  if (value === undefined) return true;
  if (value !== null) return false;
  const { kind, type } = kindOfField(field);
  if (field.repeated || field.map || kind === "scalar") return true;
  return type.fullName !== ".google.protobuf.Value" && type.fullName !== ".google.protobuf.NullValue";
}

export const isNullValue = (type: Enum): boolean => type.fullName === ".google.protobuf.NullValue";

/** Whether an enum may have numbers that its file does not name. */
export function isOpen(type: Enum): boolean {
  const features: unknown = Reflect.get(type, "_features");
  return isFields(features) && features.enum_type !== "CLOSED";
}

function fieldList(type: Type): string {
  return list(type.fieldsArray.map(jsonKey), 50);
}

const indexes = new WeakMap<Type, ReadonlyMap<string, Field>>();

function fieldsByKey(type: Type): ReadonlyMap<string, Field> {
  let index = indexes.get(type);
  if (index === undefined) {
    // the JSON name of one field may be the name of another one in the file: JSON names come first
    const names = type.fieldsArray.flatMap((field) => jsonKeys(field).map((key): [string, Field] => [key, field]));
    const first = type.fieldsArray.map((field): [string, Field] => [jsonKey(field), field]);
    index = new Map([...names, ...first]);
    indexes.set(type, index);
  }
  return index;
}
