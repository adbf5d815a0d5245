import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { schemaInvalid, schemaUnsupported } from "../errors.js";
import { type AnyStandardSchema, isStandardSchema, type JsonSchema } from "../standard-schema.js";
import { type JsonSchemaTarget, toJsonSchema } from "./convert.js";
import { isParameterMap, type ParameterMap, parameterMapToJsonSchema } from "./parameter-map.js";
import { foreignPart } from "./schema-problem.js";

/**
 * The forms in which the parameters of a tool can be given. An object whose values all have one of the seven types in `type` is a
 * map of parameters; every other object is a JSON Schema with `type: "object"`.
 */
export type ToolParameters = AnyStandardSchema | JsonSchema | ParameterMap;

/** Recognizes the form of parameters, and returns a function that converts them to an object schema. */
export function parametersConverter(parameters: ToolParameters): (target: JsonSchemaTarget) => JsonSchema {
  if (isStandardSchema(parameters)) return (target) => objectAtTop(toJsonSchema(parameters, { target }));
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
    throw schemaInvalid(`The parameters are neither a schema nor a map of parameters (got ${kindOf(parameters)}).`);
  }
  const problem = foreignPart(parameters);
  if (problem !== undefined) throw schemaInvalid(`The inputSchema ${problem}`);
  if (isParameterMap(parameters)) {
    const schema = parameterMapToJsonSchema(parameters);
    return () => schema;
  }
  if (hasKeyword(parameters)) return () => objectAtTop(parameters);
  throw schemaInvalid(
    'The parameters are neither a JSON Schema with type: "object" nor a map of parameters. In a map, each of ' +
      `${Object.keys(parameters).join(", ")} needs a type: object, number, integer, string, array, null or boolean.`,
  );
}

/** Adds `type: "object"` at the top, which models and MCP require, and which unions and references lack. */
function objectAtTop(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (type === "object") return schema;
  if (type === undefined || (Array.isArray(type) && type.includes("object"))) return { ...schema, type: "object" };
  throw schemaUnsupported(
    `The parameters of a tool must be an object, but this is a schema of type ${JSON.stringify(type)}. Wrap it in an object property.`,
  );
}

const isString = (value: unknown): boolean => typeof value === "string";

/** Keywords by which a JSON Schema is recognized: with these values they cannot be parameters of the same name. */
const keywordShapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  $schema: isString,
  $ref: isString,
  $id: isString,
  $defs: isFields,
  type: (value) => isString(value) || Array.isArray(value),
  properties: isFields,
  patternProperties: isFields,
  additionalProperties: (value) => typeof value === "boolean",
  required: Array.isArray,
  anyOf: Array.isArray,
  oneOf: Array.isArray,
  allOf: Array.isArray,
  enum: Array.isArray,
  title: isString,
  description: isString,
};

function hasKeyword(schema: JsonSchema): boolean {
  return Object.entries(schema).some(
    ([key, value]) => Object.hasOwn(keywordShapes, key) && keywordShapes[key]?.(value),
  );
}
