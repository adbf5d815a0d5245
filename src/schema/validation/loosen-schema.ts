import { messageOf } from "../../errors.js";
import type { LooseSchema, UncheckedPart } from "../schema-validator.js";
import { keywordProblems } from "./keyword-values.js";
import { prepareSchema } from "./prepare-schema.js";
import { type SchemaNode, schemaNodes, subschemaKinds } from "./schema-nodes.js";

/** The drafts that ajv supports. */
export type JsonSchemaDraft = "2020-12" | "2019-09" | "07";
type Check = LooseSchema["check"];

/** A problem in a schema itself. */
export interface SchemaProblem {
  /** A JSON Pointer. */
  readonly instancePath: string;
  readonly message?: string | undefined;
}

/** Compiles schemas, and finds problems in them. */
export interface Compiler {
  compile(schema: object): Check;
  problemsIn(schema: object): readonly SchemaProblem[];
}

/** How often compiling is tried, each time without the parts that failed the last time. */
const mostAttempts = 100;

/**
 * Compiles what can be checked of a schema that does not compile as a whole, because of an older draft, patterns of another
 * language, or unresolved references. Lists the parts left out. The rest accepts every value that the whole schema would accept.
 */
export async function loosenSchema(
  schema: object,
  compilerOf: (draft: JsonSchemaDraft) => Promise<Compiler>,
): Promise<LooseSchema> {
  const { $schema, ...copy } = JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
  const loosening = new Loosening(copy);
  const draft = draftOf($schema);
  if (draft === undefined) loosening.note(["$schema"], `${JSON.stringify($schema)} is an unknown draft`);
  for (const { node } of schemaNodes(copy)) {
    if (draft === "04") fromDraft04(node);
    fromOlderWords(node, draft ?? "2020-12");
  }
  loosening.dropMalformed();
  loosening.dropNames();
  const compiler = await compilerOf(draft === "04" || draft === "06" ? "07" : (draft ?? "2020-12"));
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const schema = structuredClone(copy);
    try {
      prepareSchema(schema);
      return { check: compiler.compile(schema), unchecked: loosening.unchecked };
    } catch (error) {
      if (!loosening.dropCauses(compiler)) return { check: acceptAnything, unchecked: [whole(error)] };
    }
  }
  return { check: acceptAnything, unchecked: [whole("it has too many problems")] };
}

const acceptAnything: Check = () => undefined;
const whole = (error: unknown): UncheckedPart => ({ path: "", reason: messageOf(error) });

function draftOf(dialect: unknown): JsonSchemaDraft | "04" | "06" | undefined {
  if (dialect === undefined) return "2020-12";
  const [, found] =
    /^https?:\/\/json-schema\.org\/draft(?:\/|-)(04|06|07|2019-09|2020-12)\/schema#?$/.exec(String(dialect)) ?? [];
  return found as JsonSchemaDraft | "04" | "06" | undefined;
}

/** Removes parts of a schema, in place. */
class Loosening {
  readonly unchecked: UncheckedPart[] = [];
  readonly #schema: Record<string, unknown>;

  constructor(schema: Record<string, unknown>) {
    this.#schema = schema;
  }

  note(path: readonly string[], reason: string): void {
    this.unchecked.push({ path: pointerOf(path), reason });
  }

  /** Drops keywords with values that they cannot have, and patterns of other languages. */
  dropMalformed(): void {
    for (const { node, path } of [...schemaNodes(this.#schema)]) {
      for (const problem of [...keywordProblems(node)]) this.#drop([...path, ...problem.path], problem.reason);
      if (node.nullable === undefined || node.type !== undefined) continue;
      const allowsNull = node.nullable === true;
      this.#drop([...path, "nullable"], "`nullable` has no effect without a type");
      if (allowsNull) allowNull(node);
    }
  }

  /** Drops names that are not valid or not unique, and references that lead nowhere, also those to such names. */
  dropNames(): void {
    for (;;) {
      const problems = prepareSchema(structuredClone(this.#schema));
      if (problems.length === 0) return;
      for (const { path, reason } of problems) this.#drop(path, reason);
    }
  }

  /** Drops the parts that made compiling fail; returns `false` if none are found. */
  dropCauses(compiler: Compiler): boolean {
    const before = this.unchecked.length;
    for (const { instancePath, message = "it is not valid" } of compiler.problemsIn(structuredClone(this.#schema)))
      this.#drop(keysOf(instancePath), message);
    this.dropNames();
    return this.unchecked.length > before;
  }

  /** Removes the keyword at a path, or replaces the subschema there by `true`. */
  #drop(path: readonly string[], reason: string): void {
    const { holder, key, isSubschema } = this.#find(path);
    if (key === undefined || holder === undefined) return;
    const value: unknown = Reflect.get(holder, key);
    if (value === undefined || (isSubschema && value === true)) return;
    this.note(path, reason);
    if (isSubschema) Reflect.set(holder, key, true);
    else Reflect.deleteProperty(holder, key);
    if (/^(properties|patternProperties|items|prefixItems)$/.test(path.at(isSubschema ? -2 : -1) ?? ""))
      this.#openUp(path);
    if (path.includes("patternProperties")) this.#openUp(path);
    this.#weakenAround(path);
  }

  /** Finds the object and key of a path. A schema in a map or a list cannot be removed by itself: it is a subschema. */
  #find(path: readonly string[]): { holder: object | undefined; key: string | undefined; isSubschema: boolean } {
    let holder: unknown = this.#schema;
    let kind: "schema" | "map" | "list" | "value" = "schema";
    for (const [index, key] of path.entries()) {
      if (typeof holder !== "object" || holder === null) break;
      const isSubschema: boolean = kind === "map" || kind === "list";
      if (index === path.length - 1) return { holder, key, isSubschema: isSubschema && !isRegExpKey(path) };
      const value: unknown = Reflect.get(holder, key);
      kind = isSubschema ? "schema" : subschemaKinds(key, value);
      // a problem inside a value that is not a schema is a problem of its keyword
      if (kind === "value") return { holder, key, isSubschema: false };
      holder = value;
    }
    return { holder: undefined, key: undefined, isSubschema: false };
  }

  /** Removes keywords about additional properties and items, which would reject those that are no longer described. */
  #openUp(path: readonly string[]): void {
    for (const { node, path: at } of schemaNodes(this.#schema)) {
      if (at.length >= path.length || at.some((key, index) => key !== path[index])) continue;
      if (path.length - at.length > 2) continue;
      for (const keyword of ["additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems"])
        Reflect.deleteProperty(node, keyword);
    }
  }

  /** When a part accepts more, `not`, `if` and `oneOf` around it would reject more. So they are removed or weakened. */
  #weakenAround(path: readonly string[]): void {
    const isShared = path.includes("$defs") || path.includes("definitions");
    for (const around of [...schemaNodes(this.#schema)]) {
      for (const keyword of ["not", "if", "oneOf"]) {
        const value = around.node[keyword];
        const holdsIt = isInside(path, [...around.path, keyword]);
        if (value === undefined || !(holdsIt || (isShared && JSON.stringify(value).includes('"$ref"')))) continue;
        weaken(around, keyword, value);
        if (keyword !== "oneOf") this.note([...around.path, keyword], "a part of it cannot be checked");
      }
    }
  }
}

function weaken({ node }: SchemaNode, keyword: string, value: unknown): void {
  Reflect.deleteProperty(node, keyword);
  if (keyword === "if") {
    Reflect.deleteProperty(node, "then");
    Reflect.deleteProperty(node, "else");
  }
  if (keyword !== "oneOf") return;
  const others: readonly unknown[] = Array.isArray(node.allOf) ? node.allOf : [];
  Reflect.set(node, "allOf", [...others, { anyOf: value }]);
}

const isRegExpKey = (path: readonly string[]): boolean => path.at(-2) === "patternProperties";
const isInside = (path: readonly string[], around: readonly string[]): boolean =>
  path.length > around.length && around.every((key, index) => key === path[index]);
const pointerOf = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

function keysOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Converts a schema of draft-04 in place: exclusive limits are flags there, and the id of a schema is `id`. */
function fromDraft04(schema: Record<string, unknown>): void {
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const isExclusive = schema[flag];
    if (typeof isExclusive !== "boolean") continue;
    delete schema[flag];
    if (!isExclusive || schema[limit] === undefined) continue;
    schema[flag] = schema[limit];
    delete schema[limit];
  }
  if (typeof schema.id !== "string") return;
  schema.$id ??= schema.id;
  delete schema.id;
}

/** Applies `nullable: true` of OpenAPI 3.0 to a schema without a type, in place. */
function allowNull(schema: Record<string, unknown>): void {
  const { enum: values, const: value, anyOf, oneOf, $ref } = schema;
  if (Array.isArray(values)) schema.enum = [...values, null];
  if (value !== undefined) {
    delete schema.const;
    schema.enum = [value, null];
  }
  if (Array.isArray(anyOf)) schema.anyOf = [...anyOf, { type: "null" }];
  if (Array.isArray(oneOf)) schema.oneOf = [...oneOf, { type: "null" }];
  if (typeof $ref !== "string" || anyOf !== undefined) return;
  delete schema.$ref;
  schema.anyOf = [{ $ref }, { type: "null" }];
}

/** Writes what older drafts, or careless authors, write in other words as the draft has it, in place. */
function fromOlderWords(schema: Record<string, unknown>, draft: string): void {
  const { required, type, items, additionalItems } = schema;
  if (Array.isArray(required)) schema.required = [...new Set(required)];
  if (Array.isArray(type)) schema.type = [...new Set(type)];
  if (draft !== "2020-12" || !Array.isArray(items)) return;
  schema.prefixItems = items;
  delete schema.items;
  if (additionalItems === undefined) return;
  schema.items = additionalItems;
  delete schema.additionalItems;
}
