import { type Fields, isFields } from "../is.js";
import type { JsonSchema } from "../schema/standard-schema.js";
import { withoutUndefined } from "../schema/without-undefined.js";

/** A schema as services take it that write nothing but what matches. */
export interface StrictForm {
  readonly schema: JsonSchema;
  /** Removes the nulls that stand for optional properties: those that the original schema does not have. */
  readonly withoutAddedNulls: (value: unknown) => unknown;
}

/**
 * The strict form of a schema: every property is required, and null if it is optional; objects are closed; `oneOf` is `anyOf`; and
 * there are no defaults. `undefined` if there is none, as for records, tuples, patterns and anything that may be any value.
 */
export function strictForm(schema: JsonSchema): StrictForm | undefined {
  const form = new Form(schema);
  const strict = form.root();
  return strict === undefined
    ? undefined
    : { schema: strict, withoutAddedNulls: (value) => form.withoutAddedNulls(value, strict) };
}

type Keywords = Record<string, unknown>;

/** Keywords that mean the same in the strict form. */
const kept: ReadonlySet<string> = new Set([
  ...["type", "title", "description", "enum", "const", "minItems", "maxItems"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
]);
/** Keywords that only the answer is checked against: services refuse them, or they say nothing about values. */
const dropped: ReadonlySet<string> = new Set([
  ...["default", "minLength", "maxLength", "uniqueItems", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["$schema", "$comment", "$id", "id"],
]);
const formats: ReadonlySet<unknown> = new Set([
  ...["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
]);

/** Thrown where a schema has no strict form. */
const none = Symbol("none");

class Form {
  readonly #source: JsonSchema;
  #strict: Fields = {};
  /** The schemas of properties to which null was added. */
  readonly #nullable = new WeakSet<object>();

  constructor(source: JsonSchema) {
    this.#source = source;
  }

  root(): JsonSchema | undefined {
    const { $schema, $defs, definitions, ...schema } = this.#source;
    try {
      this.#strict = {
        ...withoutUndefined({ $schema, $defs: this.#each($defs), definitions: this.#each(definitions) }),
        ...this.#of(schema),
      };
      return this.#strict as JsonSchema;
    } catch (error) {
      if (error === none) return undefined;
      throw error;
    }
  }

  #each(schemas: unknown): Fields | undefined {
    if (!isFields(schemas)) return undefined;
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.#of(schema)]));
  }

  #of(given: unknown): Fields {
    const schema = withoutLoneAllOf(given);
    const { $ref, anyOf, oneOf, properties, required, additionalProperties, items, format, ...others } = schema;
    if ($ref !== undefined) return this.#reference($ref, schema);
    const strict: Keywords = {};
    for (const [name, value] of Object.entries(others)) {
      if (kept.has(name)) strict[name] = value;
      else if (!dropped.has(name)) throw none;
    }
    if (formats.has(format)) strict.format = format;
    strict.type ??= typeOf(others);
    const types = [strict.type].flat();
    const choices = anyOf ?? oneOf;
    if (choices !== undefined) {
      if (!Array.isArray(choices) || (anyOf !== undefined && oneOf !== undefined) || strict.type !== undefined)
        throw none;
      strict.anyOf = choices.map((choice) => this.#of(choice));
    } else if (strict.type === undefined) throw none;
    if (types.includes("array")) strict.items = this.#of(items);
    if (types.includes("object")) Object.assign(strict, this.#object(properties, required, additionalProperties));
    return withoutUndefined(strict);
  }

  /** Beside a reference nothing may stand. It leads to a definition, or to the whole. */
  #reference(ref: unknown, schema: Fields): Fields {
    const isAlone = Object.keys(schema).every((name) => name === "$ref" || isAnnotation(name));
    if (!isAlone || !/^#(\/(\$defs|definitions)\/[^/]+)?$/.test(String(ref))) throw none;
    return { $ref: ref };
  }

  #object(properties: unknown, required: unknown, additional: unknown): Fields {
    if (!isFields(properties) || (additional !== undefined && additional !== false)) throw none;
    const names: readonly unknown[] = Array.isArray(required) ? required : [];
    if (names.some((name) => !Object.hasOwn(properties, String(name)))) throw none;
    const entries = Object.entries(properties).map(([name, schema]) => {
      const strict = this.#of(schema);
      return [name, names.includes(name) || this.#takesNull(schema) ? strict : this.#orNull(strict)] as const;
    });
    return {
      properties: Object.fromEntries(entries),
      required: entries.map(([name]) => name),
      additionalProperties: false,
    };
  }

  #orNull(schema: Fields): Fields {
    const choices = Object.keys(schema).length === 1 && Array.isArray(schema.anyOf) ? schema.anyOf : [schema];
    const nullable = { anyOf: [...choices, { type: "null" }] };
    this.#nullable.add(nullable);
    return nullable;
  }

  /** Whether null is a value of the original schema. */
  #takesNull(given: unknown, seen: readonly unknown[] = []): boolean {
    if (seen.includes(given)) return false;
    const schema = withoutLoneAllOf(given);
    const { $ref, anyOf, oneOf, type = typeOf(schema) } = schema;
    const within = [...seen, given];
    if ($ref !== undefined) return this.#takesNull(lookUp($ref, this.#source), within);
    const choices = anyOf ?? oneOf;
    if (Array.isArray(choices)) return choices.some((choice) => this.#takesNull(choice, within));
    return fits(null, { ...schema, type });
  }

  withoutAddedNulls(value: unknown, schema: unknown): unknown {
    const { anyOf, items, properties } = this.#resolved(schema);
    if (Array.isArray(anyOf)) {
      const choice: unknown = anyOf.find((one) => this.#matches(value, one));
      return choice === undefined ? value : this.withoutAddedNulls(value, choice);
    }
    if (Array.isArray(value)) return value.map((item) => this.withoutAddedNulls(item, items));
    if (!isFields(value) || !isFields(properties)) return value;
    const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const isAdded = inner === null && isFields(own) && this.#nullable.has(own);
      return isAdded ? [] : [[name, this.withoutAddedNulls(inner, own)]];
    });
    return Object.fromEntries(entries);
  }

  /** Whether a value, which may not be complete, has the form of a strict schema. */
  #matches(value: unknown, schema: unknown): boolean {
    const strict = this.#resolved(schema);
    const { anyOf, items, properties } = strict;
    if (Array.isArray(anyOf)) return anyOf.some((choice) => this.#matches(value, choice));
    if (!fits(value, strict)) return false;
    if (Array.isArray(value)) return value.every((item) => this.#matches(item, items));
    if (!isFields(value) || !isFields(properties)) return true;
    return Object.entries(value).every(
      ([name, inner]) => Object.hasOwn(properties, name) && this.#matches(inner, properties[name]),
    );
  }

  #resolved(schema: unknown): Fields {
    const seen = new Set<unknown>();
    let found = schema;
    while (isFields(found) && found.$ref !== undefined && !seen.has(found)) {
      seen.add(found);
      found = lookUp(found.$ref, this.#strict);
    }
    return isFields(found) ? found : {};
  }
}

/** A reference with a description is often a list of one: `{ allOf: [{ $ref }], description }`. */
function withoutLoneAllOf(schema: unknown): Fields {
  if (!isFields(schema)) throw none;
  const { allOf, ...others } = schema;
  const [only, ...more]: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
  if (!isFields(only) || more.length > 0 || !Object.keys(others).every(isAnnotation)) return schema;
  return { ...others, ...only };
}

const isAnnotation = (name: string): boolean => name === "title" || name === "description" || dropped.has(name);

function lookUp(ref: unknown, root: Fields): unknown {
  let found: unknown = root;
  for (const name of String(ref).split("/").slice(1)) found = isFields(found) ? found[name] : undefined;
  return found;
}

/** Services want a type, also beside a list of values. */
function typeOf({ enum: values, const: value }: Fields): unknown {
  const all: readonly unknown[] = Array.isArray(values) ? values : value === undefined ? [] : [value];
  const types = [...new Set(all.map((one) => (one === null ? "null" : typeof one)))];
  if (types.includes("object")) throw none;
  return types.length > 1 ? types : types[0];
}

/** Whether a value has the type of a schema, and is one of its values. */
function fits(value: unknown, { type, enum: values, const: only }: Fields): boolean {
  if (Array.isArray(values) && !values.includes(value)) return false;
  if (only !== undefined && only !== value) return false;
  const types: readonly unknown[] = [type].flat();
  if (value === null) return types.includes("null");
  if (Array.isArray(value)) return types.includes("array");
  if (typeof value !== "number") return types.includes(typeof value);
  return types.includes("number") || (types.includes("integer") && Number.isInteger(value));
}
