import type { JsonSchema } from "../../schema/standard-schema.js";
import {
  type FieldDefinition,
  isStruct,
  isTextual,
  type MapType,
  type StructType,
  type ThriftType,
} from "./definition.js";

/** The arguments of a method as one object. */
export function argumentsSchema(parameters: readonly FieldDefinition[]): JsonSchema {
  const writer = new SchemaWriter();
  return writer.finish(writer.fields(parameters));
}

/** The return type of a method; `undefined` for void. */
export function resultSchema(result: ThriftType | undefined): JsonSchema | undefined {
  if (result === undefined) return undefined;
  const writer = new SchemaWriter("answer");
  return writer.finish(writer.write(result));
}

/** Writes types as JSON Schemas; structs, which may contain themselves, are under `$defs`. */
class SchemaWriter {
  readonly #isAnswer: boolean;
  readonly #names = new Map<StructType, string>();
  readonly #definitions = new Map<string, unknown>();

  constructor(side?: "answer") {
    this.#isAnswer = side === "answer";
  }

  finish(schema: JsonSchema): JsonSchema {
    return this.#definitions.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(this.#definitions) };
  }

  fields(fields: readonly FieldDefinition[]): JsonSchema {
    const required = this.#isAnswer ? [] : fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    return {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#field(field)])),
      ...(required.length > 0 && { required }),
      // a newer server may have more to say
      ...(!this.#isAnswer && { additionalProperties: false }),
    };
  }

  #field({ type, description, fallback }: FieldDefinition): JsonSchema {
    const schema = this.write(type);
    return {
      ...(description !== undefined && { description }),
      ...schema,
      // JSON has no numbers of 64 bits
      ...(fallback !== undefined && !this.#isAnswer && typeof fallback !== "bigint" && { default: fallback }),
    };
  }

  write(type: ThriftType): JsonSchema {
    if (isStruct(type)) return { $ref: `#/$defs/${this.#define(type)}` };
    switch (type.kind) {
      case "bool":
        return { type: "boolean" };
      case "i8":
        return this.#integer(7);
      case "i16":
        return this.#integer(15);
      case "i32":
        return this.#integer(31);
      case "i64":
        return { type: "integer" };
      case "double":
        return this.#isAnswer ? { type: ["number", "string"] } : { type: "number" };
      case "string":
        return { type: "string" };
      case "binary":
        return { type: "string", contentEncoding: "base64" };
      case "uuid":
        return { type: "string", format: "uuid" };
      case "enum":
        return this.#isAnswer
          ? { type: ["string", "integer"] }
          : {
              type: "string",
              enum: [...type.members.keys()],
              ...(type.description && { description: type.description }),
            };
      case "list":
        return { type: "array", items: this.write(type.of) };
      case "set":
        return { type: "array", items: this.write(type.of), uniqueItems: true };
      case "map":
        return this.#map(type);
      default:
        return type satisfies never;
    }
  }

  #integer(bits: number): JsonSchema {
    return { type: "integer", minimum: -(2 ** bits), maximum: 2 ** bits - 1 };
  }

  #map({ key, value }: MapType): JsonSchema {
    if (isTextual(key)) {
      const names = this.#isAnswer ? undefined : keyNames(key);
      return { type: "object", ...(names && { propertyNames: names }), additionalProperties: this.write(value) };
    }
    const properties = { key: this.write(key), value: this.write(value) };
    const items = { type: "object", properties, required: ["key", "value"], additionalProperties: false };
    return { type: "array", items };
  }

  #define(struct: StructType): string {
    const known = this.#names.get(struct);
    if (known !== undefined) return known;
    let name = struct.name;
    for (let count = 2; this.#definitions.has(name); count++) name = `${struct.name}_${count}`;
    this.#names.set(struct, name);
    // its place, before what it contains
    this.#definitions.set(name, true);
    const isUnion = struct.kind === "union";
    this.#definitions.set(name, {
      ...(struct.description !== undefined && { description: struct.description }),
      ...this.fields(struct.fields),
      ...(isUnion && { minProperties: 1, maxProperties: 1 }),
    });
    return name;
  }
}

/** The pattern of keys that are not strings of any form. */
function keyNames(key: ThriftType): JsonSchema | undefined {
  if (key.kind === "enum") return { enum: [...key.members.keys()] };
  if (key.kind === "bool") return { enum: ["true", "false"] };
  return /^i\d+$/.test(key.kind) ? { pattern: "^-?\\d+$" } : undefined;
}
