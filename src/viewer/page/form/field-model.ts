import type { JsonSchema } from "../../../schema/standard-schema.js";

/** What a form shows for a schema. Parts that it cannot show are a field for JSON. */
export type FieldModel = {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly initial: unknown;
} & FieldKind;

export type FieldKind =
  | { readonly type: "text"; readonly format: string | undefined; readonly limits: Limits }
  | { readonly type: "number"; readonly isInteger: boolean; readonly limits: Limits }
  | { readonly type: "switch" }
  | { readonly type: "choice"; readonly values: readonly unknown[] }
  | { readonly type: "constant"; readonly value: unknown }
  | { readonly type: "object"; readonly fields: readonly NamedField[] }
  | { readonly type: "list"; readonly item: FieldModel; readonly limits: Limits }
  | { readonly type: "variants"; readonly variants: readonly FieldModel[] }
  | { readonly type: "json" };

export interface NamedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: FieldModel;
}

export interface Limits {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  readonly pattern?: string | undefined;
}

type Schema = Readonly<Record<string, unknown>>;

const deepest = 6;

/** Reads a schema. What is deeper than six levels, refers to itself or is unknown is JSON. */
export function fieldModel(schema: JsonSchema | boolean | undefined): FieldModel {
  const root = isObject(schema) ? schema : {};
  return new Reader(root).read(root, 0, []);
}

class Reader {
  readonly #root: Schema;

  constructor(root: Schema) {
    this.#root = root;
  }

  read(given: Schema, depth: number, outer: readonly Schema[]): FieldModel {
    const schema = this.#resolve(given);
    const common = {
      title: text(given.title) ?? text(schema?.title),
      description: text(given.description) ?? text(schema?.description),
      initial: given.default ?? schema?.default,
    };
    if (schema === undefined || depth > deepest || outer.includes(schema)) return { ...common, type: "json" };
    return { ...common, ...this.#kindOf(schema, depth, [...outer, schema]) };
  }

  #kindOf(schema: Schema, depth: number, outer: readonly Schema[]): FieldKind {
    if ("const" in schema) return { type: "constant", value: schema.const };
    if (Array.isArray(schema.enum)) return { type: "choice", values: schema.enum };
    const variants = listOfSchemas(schema.oneOf) ?? listOfSchemas(schema.anyOf);
    if (variants !== undefined) return this.#variants(variants, depth, outer);
    if (listOfSchemas(schema.allOf) !== undefined) return { type: "json" };
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    const [type, ...others] = types.filter((name) => name !== "null");
    if (others.length > 0)
      return this.#variants(
        types.map((name) => ({ ...schema, type: name })),
        depth,
        outer,
      );
    return this.#kindOfType(type ?? (types.includes("null") ? "null" : undefined), schema, depth, outer);
  }

  #kindOfType(type: unknown, schema: Schema, depth: number, outer: readonly Schema[]): FieldKind {
    switch (type) {
      case "string":
        return { type: "text", format: text(schema.format), limits: limitsOf(schema, "minLength", "maxLength") };
      case "integer":
      case "number":
        return { type: "number", isInteger: type === "integer", limits: limitsOf(schema, "minimum", "maximum") };
      case "boolean":
        return { type: "switch" };
      case "null":
        return { type: "constant", value: null };
      case "object":
        return this.#object(schema, depth, outer);
      case "array":
        if (!isObject(schema.items)) return { type: "json" };
        return {
          type: "list",
          item: this.read(schema.items, depth + 1, outer),
          limits: limitsOf(schema, "minItems", "maxItems"),
        };
      default:
        return { type: "json" };
    }
  }

  #object(schema: Schema, depth: number, outer: readonly Schema[]): FieldKind {
    // an open record has keys that no form can know
    if (!isObject(schema.properties)) return { type: "json" };
    const required = Array.isArray(schema.required) ? schema.required : [];
    const fields = Object.entries(schema.properties).map(([name, inner]): NamedField => {
      return {
        name,
        isRequired: required.includes(name),
        field: this.read(isObject(inner) ? inner : {}, depth + 1, outer),
      };
    });
    return { type: "object", fields };
  }

  /** One variant beside null is that one: an empty field is null. Constants are a choice. */
  #variants(schemas: readonly Schema[], depth: number, outer: readonly Schema[]): FieldKind {
    const others = schemas.filter(({ type }) => type !== "null");
    const [only] = others;
    if (others.length === 1 && only !== undefined) {
      const { title: _title, description: _description, initial: _initial, ...kind } = this.read(only, depth, outer);
      return kind;
    }
    if (others.every((schema) => "const" in schema)) {
      return { type: "choice", values: others.map((schema) => schema.const) };
    }
    return { type: "variants", variants: others.map((schema) => this.read(schema, depth + 1, outer)) };
  }

  /** Follows `$ref` within the document. */
  #resolve(schema: Schema, seen: readonly string[] = []): Schema | undefined {
    const ref = schema.$ref;
    if (typeof ref !== "string") return schema;
    if (!ref.startsWith("#") || seen.includes(ref)) return undefined;
    let found: unknown = this.#root;
    for (const part of ref
      .slice(1)
      .split("/")
      .filter((name) => name !== "")) {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    return isObject(found) ? this.#resolve(found, [...seen, ref]) : undefined;
  }
}

function limitsOf(schema: Schema, min: string, max: string): Limits {
  return {
    min: numeric(schema[min]),
    max: numeric(schema[max]),
    above: numeric(schema.exclusiveMinimum),
    below: numeric(schema.exclusiveMaximum),
    pattern: text(schema.pattern),
  };
}

function listOfSchemas(value: unknown): readonly Schema[] | undefined {
  return Array.isArray(value) && value.length > 0 && value.every(isObject) ? value : undefined;
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numeric(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
