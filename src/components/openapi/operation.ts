import type { JsonSchema } from "../../schema/standard-schema.js";
import { type Fields, fieldsOf, type HttpMethod, isFields, listOf, type ParameterObject, textOf } from "./document.js";
import { invalidParameter, pathParameterMissing, unknownBody } from "./errors.js";
import { SchemaWriter } from "./plain-schema.js";
import type { References } from "./references.js";

/** One operation, where a document has it. */
export interface OperationPlace {
  readonly document: Fields;
  readonly path: string;
  readonly method: HttpMethod;
  readonly pathItem: Fields;
  readonly operation: Fields;
  readonly references: References;
}

/** How the arguments of a tool become a request. */
export interface OperationPlan {
  readonly inputSchema: JsonSchema;
  /** By the name of the argument. */
  readonly parameters: ReadonlyMap<string, ParameterObject>;
  readonly body: BodyPlan | undefined;
}

export interface BodyPlan {
  readonly kind: "json" | "form" | "text";
  readonly mediaType: string;
  readonly schema: unknown;
  readonly required: boolean;
  readonly description: string | undefined;
  /** Of a form: how its fields are written. */
  readonly encoding: Fields;
}

const bodyArgument = "body";

/** Reads what an operation takes. Throws when a call of it could not be sent. */
export function planOperation(place: OperationPlace): OperationPlan {
  const { document, references, path } = place;
  const writer = new SchemaWriter(references, textOf(document.openapi)?.startsWith("3.0") ?? false);
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
    properties.push([bodyArgument, described(writer.write(body.schema), body.description)]);
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

function described(schema: JsonSchema | boolean, description: string | undefined): JsonSchema | boolean {
  if (description === undefined || schema === false) return schema;
  return { description, ...(schema === true ? {} : schema) };
}

/** Those of the operation replace those of its path. Cookies are no matter of a model, and some headers are none either. */
function readParameters({ pathItem, operation, references }: OperationPlace): readonly ParameterObject[] {
  const parameters = new Map<string, ParameterObject>();
  for (const given of [...listOf(pathItem.parameters), ...listOf(operation.parameters)]) {
    const parameter = readParameter(references.follow(given), references);
    if (parameter !== undefined) parameters.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...parameters.values()];
}

/** The specification gives these to other parts of a document. */
const ownHeaders = /^(accept|content-type|authorization)$/i;

function readParameter(fields: Fields, references: References): ParameterObject | undefined {
  const { name, in: place } = fields;
  if (typeof name !== "string" || typeof place !== "string") throw invalidParameter(fields);
  if (place !== "path" && place !== "query" && place !== "header") {
    if (place === "cookie") return undefined;
    throw invalidParameter(fields);
  }
  if (place === "header" && ownHeaders.test(name)) return undefined;
  const [media] = Object.values(fieldsOf(fields.content));
  const style = textOf(fields.style) ?? (place === "query" ? "form" : "simple");
  const { schema = {} } = media === undefined ? fields : references.follow(media);
  return {
    name,
    in: place,
    required: place === "path" || fields.required === true,
    description: textOf(fields.description),
    schema: typeof schema === "boolean" ? schema : fieldsOf(schema),
    isJson: media !== undefined,
    style,
    explode: typeof fields.explode === "boolean" ? fields.explode : style === "form" || style === "deepObject",
    allowReserved: fields.allowReserved === true,
  };
}

/** A name that is there twice, or is that of the body, says where its value goes: `query_id`. */
function nameArguments(parameters: readonly ParameterObject[], hasBody: boolean): Map<string, ParameterObject> {
  const named = new Map<string, ParameterObject>();
  for (const parameter of parameters) {
    let name = parameter.name;
    while (named.has(name) || (hasBody && name === bodyArgument)) name = `${parameter.in}_${name}`;
    named.set(name, parameter);
  }
  return named;
}

/** JSON before a form before plain text. */
function readBody({ operation, references }: OperationPlace): BodyPlan | undefined {
  if (operation.requestBody === undefined) return undefined;
  const { content, required, description } = references.follow(operation.requestBody);
  const media = Object.entries(fieldsOf(content));
  for (const [kind, pattern] of bodyKinds) {
    const found = media.find(([type]) => pattern.test(type));
    if (found === undefined) continue;
    const [mediaType, value] = found;
    const { schema = {}, encoding } = references.follow(value);
    return {
      kind,
      mediaType: mediaType.includes("*") ? "application/json" : mediaType,
      schema: isFields(schema) || typeof schema === "boolean" ? schema : {},
      required: required === true,
      description: textOf(description),
      encoding: fieldsOf(encoding),
    };
  }
  if (required === true) throw unknownBody(media.map(([type]) => type));
  return undefined;
}

const bodyKinds: readonly (readonly [BodyPlan["kind"], RegExp])[] = [
  ["json", /^(application\/json|[^;]+\+json|application\/\*|\*\/\*)\s*(;|$)/i],
  ["form", /^application\/x-www-form-urlencoded\s*(;|$)/i],
  ["text", /^text\/plain\s*(;|$)/i],
];
