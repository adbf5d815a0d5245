import { type Fields, isFields } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { fieldsOf, listOf } from "./document.js";
import type { References } from "./references.js";

/** Writes schemas of a document as self-contained JSON Schemas: the schemas that they refer to are under `$defs`. */
export class SchemaWriter {
  readonly #references: References;
  /** Whether it is OpenAPI 3.0, which has a dialect of its own; 3.1 has JSON Schema. */
  readonly #isOldDialect: boolean;
  /** The mark of properties to leave out: `readOnly` ones in a request, `writeOnly` ones in an answer. */
  readonly #hiddenBy: "readOnly" | "writeOnly";
  /** Names under `$defs`, by reference. */
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, unknown>();

  constructor(references: References, isOldDialect: boolean, side: "request" | "answer") {
    this.#references = references;
    this.#isOldDialect = isOldDialect;
    this.#hiddenBy = side === "request" ? "readOnly" : "writeOnly";
  }

  /** All schemas referred to so far. */
  get definitions(): JsonSchema | undefined {
    return this.#definitions.size === 0 ? undefined : Object.fromEntries(this.#definitions);
  }

  write(schema: unknown): JsonSchema | boolean {
    if (typeof schema === "boolean") return schema;
    const fields = fieldsOf(schema);
    if (typeof fields.$ref !== "string") return this.#writeFields(fields);
    const $ref = `#/$defs/${this.#define(fields.$ref)}`;
    const { $ref: _, ...beside } = fields;
    // in 3.0 a reference has no siblings
    const more = this.#isOldDialect ? {} : this.#writeFields(beside);
    return { $ref, ...more };
  }

  #define(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const target = this.#references.get(reference);
    const name = this.#freeName(reference);
    this.#names.set(reference, name);
    // reserves its place in the order before the schemas that it refers to
    this.#definitions.set(name, true);
    this.#definitions.set(name, this.write(target));
    return name;
  }

  #freeName(reference: string): string {
    const last = reference.slice(reference.lastIndexOf("/") + 1);
    const base = last.replace(/[^A-Za-z0-9._-]/g, "_") || "root";
    let name = base;
    for (let count = 2; this.#definitions.has(name); count++) name = `${base}_${count}`;
    return name;
  }

  /** The hidden names of a schema, of its parts, and of the schema around it. */
  #hiddenIn(schema: Fields, around: ReadonlySet<string>, seen = new Set<unknown>()): ReadonlySet<string> {
    const names = new Set(around);
    const visit = (part: unknown): void => {
      const fields = this.#references.follow(part);
      if (seen.has(fields)) return;
      seen.add(fields);
      for (const name of namesMarked(this.#hiddenBy, fields, this.#references)) names.add(name);
      for (const each of listOf(fields.allOf)) if (isFields(each)) visit(each);
      for (const list of [fields.anyOf, fields.oneOf]) {
        for (const name of this.#hiddenInAll(listOf(list).filter(isFields), seen)) names.add(name);
      }
    };
    visit(schema);
    return names;
  }

  /** Names that are hidden in every alternative that has them. */
  #hiddenInAll(alternatives: readonly Fields[], seen: Set<unknown>): ReadonlySet<string> {
    const hidden = alternatives.map((each) => this.#hiddenIn(each, noNames, seen));
    const shown = alternatives.flatMap((each, index) => {
      const names = Object.keys(fieldsOf(this.#references.follow(each).properties));
      return names.filter((name) => hidden[index]?.has(name) === false);
    });
    return new Set(hidden.flatMap((names) => [...names]).filter((name) => !shown.includes(name)));
  }

  /** A part of `allOf`. If it requires a name that is hidden in another part, it is written here, not shared with other schemas. */
  #writePart(schema: unknown, hidden: ReadonlySet<string>): JsonSchema | boolean {
    if (!isFields(schema)) return this.write(schema);
    if (typeof schema.$ref !== "string") return this.#writeFields(schema, hidden);
    const target = this.#references.follow(schema);
    const shared = this.#hiddenIn(target, noNames);
    const isOwn = listOf(target.required).some((name) => hidden.has(String(name)) && !shared.has(String(name)));
    return isOwn ? this.#writeFields(target, hidden) : this.write(schema);
  }

  #writeFields(schema: Fields, around: ReadonlySet<string> = noNames): JsonSchema {
    const written = new Map<string, unknown>();
    const hidden = this.#hiddenIn(schema, around);
    for (const [keyword, value] of Object.entries(schema)) {
      if (droppedKeywords.has(keyword) || keyword.startsWith("x-")) continue;
      if (keyword === "pattern" && !isPattern(value)) continue;
      written.set(keyword, this.#writeKeyword(keyword, value, hidden));
    }
    if (this.#isOldDialect) translate(written);
    if (written.get("format") === "binary") {
      // binary data is base64 here
      written.delete("format");
      written.set("contentEncoding", "base64");
    }
    return Object.fromEntries(written);
  }

  #writeKeyword(keyword: string, value: unknown, hidden: ReadonlySet<string>): unknown {
    if (keyword === "required" && Array.isArray(value)) return value.filter((name) => !hidden.has(name));
    if (mapKeywords.has(keyword) && isFields(value)) {
      const kept = Object.entries(value).filter(([name]) => keyword !== "properties" || !hidden.has(name));
      return Object.fromEntries(kept.map(([name, schema]) => [name, this.write(schema)]));
    }
    if (keyword === "allOf" && Array.isArray(value)) return value.map((part) => this.#writePart(part, hidden));
    if (listKeywords.has(keyword) && Array.isArray(value)) return value.map((schema) => this.write(schema));
    if (schemaKeywords.has(keyword) && (isFields(value) || typeof value === "boolean")) return this.write(value);
    return value;
  }
}

const noNames: ReadonlySet<string> = new Set();

/** Keywords without a meaning for values. */
const droppedKeywords = new Set(["discriminator", "xml", "externalDocs"]);
const mapKeywords = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const listKeywords = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const schemaKeywords = new Set([
  ...["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"],
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"],
]);

/** A service in another language may have other patterns; it checks them itself. */
function isPattern(value: unknown): boolean {
  try {
    return typeof value === "string" && RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}

function namesMarked(mark: string, { properties }: Fields, references: References): ReadonlySet<string> {
  const names = Object.entries(fieldsOf(properties)).filter(
    ([, schema]) => isFields(schema) && (schema[mark] === true || references.follow(schema)[mark] === true),
  );
  return new Set(names.map(([name]) => name));
}

/** Translates the dialect of 3.0: `nullable`, `example`, and flags for exclusive limits. */
function translate(schema: Map<string, unknown>): void {
  if (schema.has("example")) schema.set("examples", [schema.get("example")]);
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const exclusive = schema.get(flag);
    if (typeof exclusive !== "boolean") continue;
    schema.delete(flag);
    if (!exclusive || !schema.has(limit)) continue;
    schema.set(flag, schema.get(limit));
    schema.delete(limit);
  }
  if (schema.get("nullable") === true) allowNull(schema);
  schema.delete("nullable");
  schema.delete("example");
}

function allowNull(schema: Map<string, unknown>): void {
  const type = schema.get("type");
  if (typeof type === "string") {
    schema.set("type", [type, "null"]);
    if (schema.has("enum")) schema.set("enum", [...new Set([...listOf(schema.get("enum")), null])]);
    return;
  }
  // a schema composed of others
  const rest = Object.fromEntries([...schema].filter(([keyword]) => keyword !== "nullable"));
  const { description, ...alternative } = rest;
  schema.clear();
  if (description !== undefined) schema.set("description", description);
  schema.set("anyOf", [alternative, { type: "null" }]);
}
