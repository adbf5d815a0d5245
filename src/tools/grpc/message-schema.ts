import type { JsonSchema } from "../../schema/standard-schema.js";
import { commentOf, hasPresence, isRequired, jsonKey, kindOfField, mapKeyOf, oneofOf, optionOf } from "./fields.js";
import { type Enum, type Field, type Type, typeNameOf } from "./protobuf.js";
import { isNullValue } from "./read-json.js";
import { keySchema, scalarSchema, writeScalar } from "./scalars.js";
import { wellKnown } from "./well-known.js";

/** The subject of a schema. */
export interface SchemaSide {
  readonly side: "request" | "answer";
  /** Whether answers lack fields that have their default. */
  readonly omitDefaults: boolean;
}

/** The JSON Schema of a message, with the messages inside of it under `$defs`. */
export function messageSchema(type: Type, side: SchemaSide): JsonSchema {
  const writer = new SchemaWriter(side);
  const schema = writer.message(type);
  const { definitions } = writer;
  return definitions === undefined ? schema : { ...schema, $defs: definitions };
}

class SchemaWriter {
  readonly #side: SchemaSide;
  readonly #definitions = new Map<string, unknown>();

  constructor(side: SchemaSide) {
    this.#side = side;
  }

  get definitions(): JsonSchema | undefined {
    return this.#definitions.size === 0 ? undefined : Object.fromEntries(this.#definitions);
  }

  message(type: Type): JsonSchema {
    const known = wellKnown(type);
    if (known !== undefined) return known.schema(type, this.#side.side);
    const fields = type.fieldsArray.map((field): [string, JsonSchema] => [jsonKey(field), this.#property(field)]);
    const required = type.fieldsArray.filter((field) => this.#isAlwaysThere(field)).map(jsonKey);
    return {
      type: "object",
      ...described(commentOf(type)),
      properties: Object.fromEntries(fields),
      ...(required.length > 0 && { required }),
      // a service that is newer than its description answers with more, which is read over
      ...(this.#side.side === "request" && { additionalProperties: false }),
    };
  }

  #isAlwaysThere(field: Field): boolean {
    if (this.#side.side === "request") return isRequired(field);
    return field.required || (!this.#side.omitDefaults && !hasPresence(field));
  }

  #property(field: Field): JsonSchema {
    const keyType = mapKeyOf(field);
    const item = this.#item(field);
    const about = { ...described(descriptionOf(field, item)), ...marksOf(field) };
    if (keyType !== undefined) {
      const propertyNames = keySchema(keyType);
      return { type: "object", ...about, ...(propertyNames && { propertyNames }), additionalProperties: item };
    }
    return field.repeated ? { type: "array", ...about, items: item } : { ...item, ...about };
  }

  #item(field: Field): JsonSchema {
    const { kind, type } = kindOfField(field);
    switch (kind) {
      case "message":
        return wellKnown(type) === undefined ? { $ref: `#/$defs/${this.#define(type)}` } : this.message(type);
      case "enum":
        return this.#enum(type);
      case "scalar":
        return scalarSchema(type, this.#side.side);
      default:
        return kind satisfies never;
    }
  }

  #define(type: Type): string {
    const name = typeNameOf(type);
    if (this.#definitions.has(name)) return name;
    // its place, before what it refers to itself
    this.#definitions.set(name, true);
    this.#definitions.set(name, this.message(type));
    return name;
  }

  #enum(type: Enum): JsonSchema {
    if (isNullValue(type)) return { type: "null" };
    const names = { type: "string", enum: Object.keys(type.values) };
    if (this.#side.side === "request") return { ...names, ...described(enumDescription(type)) };
    // a number that the file does not name
    return { anyOf: [names, { type: "integer" }], ...described(enumDescription(type)) };
  }
}

const described = (description: string | undefined): JsonSchema => (description === undefined ? {} : { description });

/** The description of a field: its comment, its type's comment, and the fields that exclude it. */
function descriptionOf(field: Field, { description }: JsonSchema): string | undefined {
  const oneof = oneofOf(field);
  const others = oneof?.members.filter((member) => member !== field).map(jsonKey) ?? [];
  const parts = [
    commentOf(field),
    typeof description === "string" ? description : undefined,
    others.length === 0 ? undefined : `Excludes ${others.map((name) => `"${name}"`).join(", ")}.`,
  ];
  const text = parts.filter((part) => part !== undefined).join("\n");
  return text === "" ? undefined : text;
}

function marksOf(field: Field): JsonSchema {
  const given = field.getOption("default");
  return {
    ...(optionOf(field, "deprecated") === true && { deprecated: true }),
    ...(given !== undefined && given !== null && { default: writeScalar(field.type, given) }),
  };
}

function enumDescription(type: Enum): string | undefined {
  const values = Object.keys(type.values).flatMap((name) => {
    const comment = type.comments[name];
    return comment === null || comment === undefined || comment === "" ? [] : [`${name}: ${comment}`];
  });
  const parts = [commentOf(type), ...values].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join("\n");
}
