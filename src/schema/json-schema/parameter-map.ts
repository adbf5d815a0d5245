import { isFields } from "../../is.js";
import { schemaInvalid } from "../errors.js";
import type { JsonSchema } from "../standard-schema.js";
import { withoutUndefined } from "../without-undefined.js";

/** @internal */
const dataTypes = ["object", "number", "integer", "string", "array", "null", "boolean"] as const;

/** The JSON types that a parameter can have. */
export type DataType = (typeof dataTypes)[number];

/** One parameter of a tool: a simple form in place of a schema. */
export interface ParameterInfo {
  /** The type of the values. */
  readonly type: DataType;
  /** The description that the model reads. */
  readonly description?: string | undefined;
  /** The allowed values. */
  readonly enum?: readonly (string | number | boolean | null)[] | undefined;
  /** Whether the model must give it. @default false */
  readonly required?: boolean | undefined;
  /** The items of an array. Only for `type: "array"`. */
  readonly items?: ParameterInfo | undefined;
  /** The properties of an object. Only for `type: "object"`; without it, any are allowed. */
  readonly properties?: ParameterMap | undefined;
}

/** The parameters of a tool by name. */
export interface ParameterMap {
  readonly [name: string]: ParameterInfo;
}

/**
 * Whether a value is a map of parameters: every value has one of the seven types in `type`. An empty object is a map. A JSON Schema
 * with `type: "object"` never is.
 */
export function isParameterMap(value: object): value is ParameterMap {
  return Object.values(value).every((info) => isFields(info) && dataTypes.some((type) => type === info.type));
}

/** The object schema of a map of parameters, with sorted properties and always a list of required ones. */
export function parameterMapToJsonSchema(map: ParameterMap): JsonSchema {
  return { type: "object", ...members(map, "") };
}

function members(map: ParameterMap, path: string): JsonSchema {
  if (!isFields(map) || !isParameterMap(map)) {
    throw schemaInvalid(
      `"${path}" must have a map of parameters as properties, each with a type: ${dataTypes.join(", ")}.`,
    );
  }
  const entries = Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    properties: Object.fromEntries(
      entries.map(([name, info]) => [name, parameter(info, path === "" ? name : `${path}.${name}`)]),
    ),
    required: entries.filter(([, info]) => info.required === true).map(([name]) => name),
  };
}

const fieldNames = ["type", "description", "enum", "required", "items", "properties"];

/** Throws for a field that a parameter does not have: it would be dropped, and with it a limit. */
function checkFields(info: ParameterInfo, path: string): void {
  const unknown = Object.keys(info).find((field) => !fieldNames.includes(field));
  if (unknown !== undefined) {
    throw schemaInvalid(
      `Parameter "${path}" has ${unknown}, which a parameter of a map does not have (it has ${fieldNames.join(", ")}). ` +
        'Pass a JSON Schema instead: { type: "object", properties: { … } }.',
    );
  }
  if (Object.getOwnPropertySymbols(info).length === 0) return;
  throw schemaInvalid(
    `Parameter "${path}" is a schema of another library, not a parameter of a map. Wrap the schemas with the library's object schema.`,
  );
}

function parameter(info: ParameterInfo, path: string): JsonSchema {
  checkFields(info, path);
  const { type, description, enum: values, items, properties } = info;
  if (items !== undefined && type !== "array") throw misplaced(path, "items", type, "array");
  if (properties !== undefined && type !== "object") throw misplaced(path, "properties", type, "object");
  return withoutUndefined({
    type,
    description,
    enum: values,
    items: items && parameter(items, `${path}[]`),
    ...(properties && members(properties, path)),
  });
}

function misplaced(path: string, field: string, type: string, right: string): Error {
  return schemaInvalid(`Parameter "${path}" has ${field}, but its type is "${type}". Make it type: "${right}".`);
}
