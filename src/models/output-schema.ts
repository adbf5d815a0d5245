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
import { type StrictForm, strictForm } from "./strict-schema.js";

/** The result of parsing an output: a valid value, or validation errors. */
export type ReadOutput =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** The key under which a value that is not an object is wrapped, because services require an object at the top level. */
const wrapperKey = "value";

/** An output schema, in the form sent to the model, and for validating answers. */
export class OutputSchema {
  /** JSON Schema (draft-07), always of an object. */
  readonly jsonSchema: JsonSchema;
  /** The same for the response format of a model: in the strict form that services want, if there is one. */
  readonly formatSchema: JsonSchema;
  readonly #form: JsonSchema;
  readonly #check: SchemaCheck;
  readonly #isWrapped: boolean;
  readonly #strict: StrictForm | undefined;

  /** Throws if the schema cannot be converted to JSON Schema. */
  constructor(schema: AnyStandardSchema | JsonSchema) {
    const form = toJsonSchema(schema, { target: "draft-07" });
    this.#form = form;
    const own = isStandardSchema(schema) ? closed(form) : form;
    this.#isWrapped = own.type !== "object";
    this.jsonSchema = this.#isWrapped ? wrapped(own) : own;
    this.#strict = strictForm(own);
    const strict = this.#strict?.schema ?? own;
    this.formatSchema = this.#isWrapped ? wrapped(strict) : strict;
    this.#check = schemaCheck(schema, () => form);
  }

  async read(text: string, checker: Checker): Promise<ReadOutput> {
    let value: unknown;
    try {
      value = JSON.parse(unfenced(text));
    } catch (error) {
      return { issues: [{ message: `the text is not valid JSON: ${String(error)}` }] };
    }
    return checkJson(this.#check, this.#withoutNulls(this.#unwrap(value)), () => this.#form, checker);
  }

  /** Unwraps a partially streamed value. */
  unwrapPartial(value: unknown): unknown {
    return this.#withoutNulls(this.#isWrapped && isFields(value) ? value[wrapperKey] : value);
  }

  /** Removes the nulls that the strict form has added. */
  #withoutNulls(value: unknown): unknown {
    return this.#strict === undefined || value === undefined ? value : this.#strict.withoutAddedNulls(value);
  }

  /** Removes the wrapper, which a model may leave out. */
  #unwrap(value: unknown): unknown {
    const isWrapper = this.#isWrapped && isFields(value) && Object.hasOwn(value, wrapperKey);
    return isWrapper ? value[wrapperKey] : value;
  }
}

/** Wraps a schema in an object. Definitions move to the top level, where references point. */
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

/** Adjusts references to the root, which has moved below the wrapper. */
function withMovedReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMovedReferences);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const moves = key === "$ref" && typeof inner === "string" && /^#(?!\/(?:\$defs|definitions)\/)/.test(inner);
    return [key, moves ? `#/properties/${wrapperKey}${inner.slice(1)}` : withMovedReferences(inner)];
  });
  return Object.fromEntries(entries);
}

/** Adds `additionalProperties: false` to objects, which strict services require. Records already set `additionalProperties`. */
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

/** Keywords not to descend into: they hold values, or (`allOf`) schemas whose properties are combined. */
const literalKeywords: readonly string[] = ["const", "default", "enum", "examples", "allOf"];

/** Removes a Markdown code fence, which some models add despite the instructions. */
export function unfenced(text: string): string {
  return /^\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*$/s.exec(text)?.[1] ?? text;
}
