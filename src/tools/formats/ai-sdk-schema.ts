import { type Fields, isPromiseLike } from "../../is.js";
import type { ToolParameters } from "../../schema/json-schema/tool-parameters.js";
import {
  type AnyStandardSchema,
  isStandardSchema,
  type JsonSchema,
  type StandardIssue,
  type StandardResult,
} from "../../schema/standard-schema.js";
import { notASchema, schemaLater } from "./errors.js";
import { type ForeignFunction, isForeignFunction } from "./foreign-tool.js";

/** Marks the schemas of the AI SDK: those that `jsonSchema()`, `zodSchema()` and `valibotSchema()` return. */
const mark = Symbol.for("vercel.ai.schema");

/** A schema of the AI SDK: its JSON form, and optionally a function that checks values. */
interface AiSdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

function isAiSdkSchema(value: unknown): value is AiSdkSchema {
  return typeof value === "object" && value !== null && mark in value && "jsonSchema" in value;
}

export function hasAiSdkSchema({ inputSchema, parameters, outputSchema }: Fields): boolean {
  return [inputSchema, parameters, outputSchema].some((schema) => isAiSdkSchema(schema) || isLazy(schema));
}

/** ArkType's schemas are functions too, but can be recognized. */
function isLazy(schema: unknown): schema is ForeignFunction {
  return isForeignFunction(schema) && !isStandardSchema(schema);
}

/**
 * The parameters of a tool, from any schema that the AI SDK accepts. Errors of a schema are reported when it is converted, where all
 * tools are checked together.
 */
export function inputSchemaOf(schema: unknown): ToolParameters | undefined {
  if (schema === undefined || schema === null) return undefined;
  if (isLazy(schema)) return opened(schema);
  if (isAiSdkSchema(schema)) return standardOf(schema, () => plainForm(schema));
  return isStandardSchema(schema) ? schema : (schema as JsonSchema);
}

/** A plain JSON Schema stays a plain one, because outputs are checked against those only on request. */
export function outputSchemaOf(schema: unknown): AnyStandardSchema | JsonSchema | undefined {
  if (schema === undefined || schema === null) return undefined;
  if (isLazy(schema)) return outputSchemaOf(schema());
  if (isAiSdkSchema(schema)) {
    return schema.validate === undefined ? plainForm(schema) : standardOf(schema, () => plainForm(schema));
  }
  return isStandardSchema(schema) ? schema : (schema as JsonSchema);
}

function opened(open: ForeignFunction): ToolParameters | undefined {
  try {
    return inputSchemaOf(open());
  } catch (cause) {
    return standardOf({ jsonSchema: undefined }, () => {
      throw cause;
    });
  }
}

function plainForm({ jsonSchema }: AiSdkSchema): JsonSchema {
  if (typeof jsonSchema !== "object" || jsonSchema === null) throw notASchema(jsonSchema);
  // `then` may also be the keyword beside `if`
  if (isPromiseLike(jsonSchema)) throw schemaLater();
  return jsonSchema as JsonSchema;
}

/** Without `validate`, values are checked against its JSON form. */
function standardOf({ validate }: AiSdkSchema, form: () => JsonSchema): AnyStandardSchema {
  const common = { version: 1, vendor: "ai-sdk", jsonSchema: { input: form, output: form } } as const;
  if (validate === undefined) return { "~standard": common };
  const check = (value: unknown): StandardResult<unknown> | Promise<StandardResult<unknown>> => {
    const result = validate(value);
    return isPromiseLike(result) ? Promise.resolve(result.then(resultOf)) : resultOf(result);
  };
  return { "~standard": { ...common, validate: check } as AnyStandardSchema["~standard"] };
}

function resultOf(result: unknown): StandardResult<unknown> {
  const { success, value, error } = result as { success: boolean; value?: unknown; error?: unknown };
  return success ? { value } : { issues: issuesOf(error) };
}

/** The errors of common schema libraries have a list of issues. */
function issuesOf(error: unknown): readonly StandardIssue[] {
  if (typeof error !== "object" || error === null) return [{ message: String(error) }];
  const { issues, message } = error as { issues?: unknown; message?: unknown };
  if (Array.isArray(issues) && issues.length > 0) return issues as StandardIssue[];
  return [{ message: String(message) }];
}
