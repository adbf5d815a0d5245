import { isFields } from "../is.js";
import { toJsonSchema } from "../schema/json-schema/convert.js";
import {
  type AnyStandardSchema,
  isStandardSchema,
  type JsonSchema,
  type StandardIssue,
} from "../schema/standard-schema.js";
import { checkJson } from "../schema/validation/check-json.js";
import { type Checker, type SchemaCheck, schemaCheck } from "../schema/validation/schema-check.js";

/** What a text is as an output: a value that fits, or what is wrong with it. */
export type ReadOutput =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** Services want an object at the top: what is none stands under this key. */
const wrapperKey = "value";

/** The schema of an output: as a model is told, and as its answers are read. */
export class OutputSchema {
  /** JSON Schema (draft-07), always of an object. */
  readonly jsonSchema: JsonSchema;
  readonly #form: JsonSchema;
  readonly #check: SchemaCheck;
  readonly #isWrapped: boolean;

  /** Throws when the schema has no JSON form. */
  constructor(schema: AnyStandardSchema | JsonSchema) {
    const form = toJsonSchema(schema, { target: "draft-07" });
    this.#form = form;
    const own = isStandardSchema(schema) ? closed(form) : form;
    this.#isWrapped = own.type !== "object";
    this.jsonSchema = this.#isWrapped ? wrapped(own) : own;
    this.#check = schemaCheck(schema, () => form);
  }

  async read(text: string, checker: Checker): Promise<ReadOutput> {
    let value: unknown;
    try {
      value = JSON.parse(unfenced(text));
    } catch (error) {
      return { issues: [{ message: `the text is not valid JSON: ${String(error)}` }] };
    }
    return checkJson(this.#check, this.#unwrap(value), () => this.#form, checker);
  }

  /** The value so far, of a text so far, as `partialJson` has it. */
  unwrapPartial(value: unknown): unknown {
    return this.#isWrapped && isFields(value) ? value[wrapperKey] : value;
  }

  /** A model may leave the wrapper out. */
  #unwrap(value: unknown): unknown {
    const isWrapper = this.#isWrapped && isFields(value) && Object.hasOwn(value, wrapperKey);
    return isWrapper ? value[wrapperKey] : value;
  }
}

/** References point at definitions from the top, so these move there. */
function wrapped(schema: JsonSchema): JsonSchema {
  const { $schema, $defs, definitions, ...inner } = schema;
  const top = Object.entries({ $schema, $defs, definitions }).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(top),
    type: "object",
    properties: { [wrapperKey]: withMovedReferences(inner) },
    required: [wrapperKey],
    additionalProperties: false,
  };
}

/** A schema that names itself from the top has moved. */
function withMovedReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMovedReferences);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const moves = key === "$ref" && typeof inner === "string" && /^#(?!\/(?:\$defs|definitions)\/)/.test(inner);
    return [key, moves ? `#/properties/${wrapperKey}${inner.slice(1)}` : withMovedReferences(inner)];
  });
  return Object.fromEntries(entries);
}

/** Strict services want objects to say that they have no other properties. Records, which have, say so themselves. */
function closed(schema: JsonSchema): JsonSchema {
  return closedValue(schema) as JsonSchema;
}

function closedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedValue);
  if (!isFields(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, literalKeywords.includes(key) ? inner : closedValue(inner)]),
  );
  const isOpen = copy.type === "object" && isFields(copy.properties) && copy.additionalProperties === undefined;
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

/** What stands there is a value, or a schema of which another one adds properties. */
const literalKeywords: readonly string[] = ["const", "default", "enum", "examples", "allOf"];

/** Some models put JSON into a Markdown block, whatever they are told. */
export function unfenced(text: string): string {
  return /^\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*$/s.exec(text)?.[1] ?? text;
}
