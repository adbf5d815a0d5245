import { isFields } from "../../is.js";
import { toBase64 } from "../../schema/base64.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { kindOfField } from "./fields.js";
import { type Root, type Type, typeNameOf } from "./protobuf.js";
import { readScalar, scalarSchema, writeScalar } from "./scalars.js";

/** Reads and writes the messages inside a well-known one. */
export interface MessageWriter {
  /** Where types are looked for that the services do not have. */
  readonly moreTypes: Root | undefined;
  message(type: Type, value: object): unknown;
  /** By the package: times, durations and field masks. */
  special(type: Type, value: object): unknown;
}

export interface MessageReader {
  readonly rounded: boolean;
  message(type: Type, json: unknown, path: readonly (string | number)[]): object | undefined;
  special(type: Type, json: unknown): object;
  note(path: readonly (string | number)[], message: string): undefined;
}

/** A type whose JSON is not an object of its fields. */
export interface WellKnownType {
  /** Whether its JSON is always an object. */
  readonly isObject: boolean;
  readonly schema: (type: Type, side: "request" | "answer") => JsonSchema;
  readonly read: (
    reader: MessageReader,
    type: Type,
    json: unknown,
    path: readonly (string | number)[],
  ) => object | undefined;
  readonly write: (writer: MessageWriter, type: Type, value: object) => unknown;
}

/** Finds the type of a message with a JSON form of its own. */
export function wellKnown(type: Type): WellKnownType | undefined {
  const name = typeNameOf(type);
  return name.startsWith(prefix) ? types.get(name.slice(prefix.length)) : undefined;
}

const prefix = "google.protobuf.";

/** Of a field by its number: names differ between files and what protobufjs brings. */
const fieldName = (type: Type, id: number): string => type.fieldsById[id]?.name ?? "";

const own = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

// texts

/** A type that is a text in JSON, which the package knows. */
function textType(schema: JsonSchema, expected: string): WellKnownType {
  return {
    isObject: false,
    schema: () => schema,
    read: (reader, type, json, path) => {
      try {
        return reader.special(type, json);
      } catch {
        return reader.note(path, `expected ${expected}`);
      }
    },
    // a value without a text form (a time after the year 9999) is shown by its fields
    write: (writer, type, value) => {
      try {
        return writer.special(type, value);
      } catch {
        return Object.fromEntries(
          type.fieldsArray.map((field) => {
            const given: unknown = Reflect.get(value, field.name);
            return [field.name, Array.isArray(given) ? given : writeScalar(field.type, given)];
          }),
        );
      }
    },
  };
}

const timestamp = textType(
  { type: "string", format: "date-time" },
  "a time as in RFC 3339, such as 2026-01-31T08:30:00Z",
);
const duration = textType(
  { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$", description: 'A duration in seconds: "1.5s".' },
  'a duration in seconds, such as "1.5s"',
);
const fieldMask = textType(
  { type: "string", description: 'Names of fields in lowerCamelCase, with commas between them: "name,home.street".' },
  "names of fields in lowerCamelCase, with commas between them",
);

// values of JSON

/** A value of JSON as a message: its six fields by number. */
function readValue(
  reader: MessageReader,
  type: Type,
  json: unknown,
  path: readonly (string | number)[],
): object | undefined {
  const id = valueField(json);
  if (id === undefined) return reader.note(path, "expected a value of JSON");
  return { [fieldName(type, id)]: valueContent(reader, type, id, json, path) };
}

function valueField(json: unknown): number | undefined {
  if (json === null) return 1;
  if (typeof json === "number" || typeof json === "bigint") return Number.isFinite(Number(json)) ? 2 : undefined;
  if (typeof json === "string") return 3;
  if (typeof json === "boolean") return 4;
  if (Array.isArray(json)) return 6;
  return isFields(json) ? 5 : undefined;
}

function valueContent(
  reader: MessageReader,
  type: Type,
  id: number,
  json: unknown,
  path: readonly (string | number)[],
): unknown {
  if (id === 1) return 0;
  if (id === 2) return Number(json);
  const inner = type.fieldsById[id]?.resolve().resolvedType;
  return inner != null && "fieldsById" in inner ? reader.message(inner, json, path) : json;
}

function writeValue(writer: MessageWriter, type: Type, value: object): unknown {
  const field = type.fieldsArray.find(({ name }) => Object.hasOwn(value, name));
  if (field === undefined || field.id === 1) return null;
  const content: unknown = Reflect.get(value, field.name);
  const { kind, type: inner } = kindOfField(field);
  if (kind === "message") return writer.message(inner, content as object);
  return kind === "scalar" ? writeScalar(inner, content) : content;
}

const value: WellKnownType = { isObject: false, schema: () => ({}), read: readValue, write: writeValue };

const listValue: WellKnownType = {
  isObject: false,
  schema: () => ({ type: "array", items: {} }),
  read: (reader, type, json, path) => {
    if (!Array.isArray(json)) return reader.note(path, "expected a list");
    const item = messageAt(type, 1);
    return { [fieldName(type, 1)]: json.map((each, index) => reader.message(item, each, [...path, index]) ?? {}) };
  },
  write: (writer, type, value) => {
    const items: unknown = Reflect.get(value, fieldName(type, 1));
    return Array.isArray(items) ? items.map((item: object) => writer.message(messageAt(type, 1), item)) : [];
  },
};

const struct: WellKnownType = {
  isObject: true,
  schema: () => ({ type: "object", additionalProperties: true }),
  read: (reader, type, json, path) => {
    if (!isFields(json)) return reader.note(path, "expected an object");
    const item = messageAt(type, 1);
    const entries = Object.entries(json).map(([key, each]) => [key, reader.message(item, each, [...path, key]) ?? {}]);
    return { [fieldName(type, 1)]: Object.fromEntries(entries) };
  },
  write: (writer, type, value) => {
    const entries = Object.entries(Reflect.get(value, fieldName(type, 1)) ?? {});
    return Object.fromEntries(entries.map(([key, item]) => [key, writer.message(messageAt(type, 1), item as object)]));
  },
};

function messageAt(type: Type, id: number): Type {
  const inner = type.fieldsById[id]?.resolve().resolvedType;
  if (inner == null || !("fieldsById" in inner)) throw new TypeError(`${typeNameOf(type)} lacks its field ${id}.`);
  return inner;
}

// scalars that may be absent

const wrapper: WellKnownType = {
  isObject: false,
  schema: (type, side) => scalarSchema(type.fieldsById[1]?.type ?? "string", side),
  read: (reader, type, json, path) => {
    const read = readScalar(type.fieldsById[1]?.type ?? "string", json, reader.rounded);
    return "value" in read ? { [fieldName(type, 1)]: read.value } : reader.note(path, `expected ${read.expected}`);
  },
  write: (_writer, type, value) => {
    const field = type.fieldsById[1]?.resolve();
    return writeScalar(field?.type ?? "string", own(value, fieldName(type, 1)) ?? field?.typeDefault);
  },
};

// any message

const any: WellKnownType = {
  isObject: true,
  schema: () => ({
    type: "object",
    properties: {
      "@type": { type: "string", description: "type.googleapis.com/ and the full name of the message type." },
    },
    required: ["@type"],
    additionalProperties: true,
  }),
  read: readAny,
  write: writeAny,
};

function readAny(
  reader: MessageReader,
  type: Type,
  json: unknown,
  path: readonly (string | number)[],
): object | undefined {
  if (!isFields(json)) return reader.note(path, "expected an object with @type");
  const { "@type": url, ...fields } = json;
  if (url === undefined && Object.keys(fields).length === 0) return {};
  if (typeof url !== "string") return reader.note([...path, "@type"], "expected the name of a message type");
  const inner = typeNamed(type.root, url);
  if (inner === undefined) return reader.note([...path, "@type"], "no message type of this name is known");
  const message = reader.message(inner, wellKnown(inner) === undefined ? fields : fields.value, path);
  if (message === undefined) return undefined;
  const typeUrl = url.includes("/") ? url : `type.googleapis.com/${url}`;
  return { [fieldName(type, 1)]: typeUrl, [fieldName(type, 2)]: inner.encode(message).finish() };
}

/** A message that cannot be read is shown as its bytes. */
function writeAny(writer: MessageWriter, type: Type, value: object): unknown {
  const url = own(value, fieldName(type, 1));
  const bytes = own(value, fieldName(type, 2));
  const content = bytes instanceof Uint8Array ? bytes : new Uint8Array();
  if (typeof url !== "string" || url === "") return content.length === 0 ? {} : { value: toBase64(content) };
  const unread = { "@type": url, value: toBase64(content) };
  const inner = typeNamed(type.root, url) ?? typeNamed(writer.moreTypes, url);
  if (inner === undefined) return unread;
  try {
    const json = writer.message(inner, inner.decode(content));
    return wellKnown(inner) === undefined && isFields(json) ? { "@type": url, ...json } : { "@type": url, value: json };
  } catch {
    return unread;
  }
}

function typeNamed(root: Root | undefined, url: string): Type | undefined {
  const found = root?.lookup(url.slice(url.lastIndexOf("/") + 1).split("."));
  return found != null && "fieldsById" in found ? (found as Type) : undefined;
}

const types = new Map<string, WellKnownType>([
  ["Timestamp", timestamp],
  ["Duration", duration],
  ["FieldMask", fieldMask],
  ["Value", value],
  ["ListValue", listValue],
  ["Struct", struct],
  ["Any", any],
  ...["DoubleValue", "FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value"].map(wrapperEntry),
  ...["BoolValue", "StringValue", "BytesValue"].map(wrapperEntry),
]);

function wrapperEntry(name: string): [string, WellKnownType] {
  return [name, wrapper];
}
