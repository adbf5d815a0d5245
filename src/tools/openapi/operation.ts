import { type Fields, textIf } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { type BodyPlan, readBody } from "./body.js";
import { fieldsOf, listOf, type ParameterObject, type ParameterPlace } from "./document.js";
import { invalidParameter, pathParameterMissing } from "./errors.js";
import type { OperationPlace } from "./operation-place.js";
import { SchemaWriter } from "./plain-schema.js";
import type { References } from "./references.js";

/** How the arguments of a tool become a request. */
export interface OperationPlan {
  readonly inputSchema: JsonSchema;
  /** The parameters by the name of the argument. */
  readonly parameters: ReadonlyMap<string, ParameterObject>;
  readonly body: BodyPlan | undefined;
}

const bodyArgument = "body";

/** Reads the parameters and the body of an operation. Throws if its calls could not be sent. */
export function planOperation(place: OperationPlace): OperationPlan {
  const { document, references, path } = place;
  const writer = new SchemaWriter(references, textIf(document.openapi)?.startsWith("3.0") ?? false, "request");
  const body = readBody(place);
  const parameters = nameArguments(readParameters(place), body !== undefined);
  for (const [, name = ""] of path.matchAll(/\{([^{}]+)\}/g)) {
    if (![...parameters.values()].some((parameter) => parameter.in === "path" && parameter.name === name))
      throw pathParameterMissing(name);
  }
  const properties = [...parameters].map(([name, { schema, description }]) => [
    name,
    described(writer.write(schema), description),
  ]);
  const required = [...parameters].filter(([, parameter]) => parameter.required).map(([name]) => name);
  if (body !== undefined) {
    properties.push([bodyArgument, bodySchema(writer, body)]);
    if (body.required) required.push(bodyArgument);
  }
  const inputSchema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...(writer.definitions === undefined ? {} : { $defs: writer.definitions }),
  };
  return { inputSchema, parameters, body };
}

/** A model writes binary data as base64. */
function bodySchema(writer: SchemaWriter, { kind, schema, description, files }: BodyPlan): JsonSchema | boolean {
  if (kind === "binary") return described({ type: "string", contentEncoding: "base64" }, description);
  const names = [...files].join(", ");
  const texts = [description, names && `Given as base64: ${names}.`].filter(Boolean);
  const written = writer.write(schema);
  const saysNothing = written === true || Object.keys(written).length === 0;
  const isForm = kind === "form" || kind === "multipart";
  return described(isForm && saysNothing ? { type: "object" } : written, texts.join("\n\n") || undefined);
}

function described(schema: JsonSchema | boolean, description: string | undefined): JsonSchema | boolean {
  if (description === undefined || schema === false) return schema;
  return { description, ...(schema === true ? {} : schema) };
}

/** The parameters of an operation replace those of its path. */
function readParameters({ pathItem, operation, references }: OperationPlace): readonly ParameterObject[] {
  const parameters = new Map<string, ParameterObject>();
  for (const given of [...listOf(pathItem.parameters), ...listOf(operation.parameters)]) {
    const parameter = readParameter(references.follow(given), references);
    if (parameter !== undefined) parameters.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...parameters.values()];
}

/** Headers that are no parameters: some come from other parts of the document, and `fetch` sets the others itself. */
const ownHeaders =
  /^(accept|content-type|authorization|cookie|content-length|transfer-encoding|connection|keep-alive|host|expect|upgrade|te|trailer)$/i;

function readParameter(fields: Fields, references: References): ParameterObject | undefined {
  const { name, in: place } = fields;
  if (typeof name !== "string" || typeof place !== "string") throw invalidParameter(fields);
  if (!isPlace(place)) throw invalidParameter(fields);
  if (place === "header" && ownHeaders.test(name)) return undefined;
  const [media] = Object.values(fieldsOf(fields.content));
  const style = textIf(fields.style) ?? (place === "query" || place === "cookie" ? "form" : "simple");
  const { schema = {} } = media === undefined ? fields : references.follow(media);
  return {
    name,
    in: place,
    required: place === "path" || fields.required === true,
    description: textIf(fields.description),
    schema: typeof schema === "boolean" ? schema : fieldsOf(schema),
    isJson: media !== undefined,
    style,
    explode: typeof fields.explode === "boolean" ? fields.explode : style === "form" || style === "deepObject",
    allowReserved: fields.allowReserved === true,
  };
}

const places: readonly string[] = ["path", "query", "header", "cookie"] satisfies ParameterPlace[];

function isPlace(place: string): place is ParameterPlace {
  return places.includes(place);
}

/** A name that occurs twice, or is that of the body, gets its place as a prefix: `query_id`. */
function nameArguments(parameters: readonly ParameterObject[], hasBody: boolean): Map<string, ParameterObject> {
  const named = new Map<string, ParameterObject>();
  for (const parameter of parameters) {
    let name = parameter.name;
    while (named.has(name) || (hasBody && name === bodyArgument)) name = `${parameter.in}_${name}`;
    named.set(name, parameter);
  }
  return named;
}
