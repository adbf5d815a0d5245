import { type Fields, isFields, textIf } from "../../is.js";
import { fieldsOf, listOf } from "./document.js";
import { bodyNotAllowed, unknownBody } from "./errors.js";
import type { OperationPlace } from "./operation-place.js";

/** How a body is sent. Binary data is base64 in the arguments of a tool. */
export type BodyKind = "json" | "form" | "multipart" | "text" | "binary";

export interface BodyPlan {
  readonly kind: BodyKind;
  readonly mediaType: string;
  readonly schema: unknown;
  readonly required: boolean;
  readonly description: string | undefined;
  /** How the fields of a form are encoded. */
  readonly encoding: Fields;
  /** The fields of a multipart form that are files. */
  readonly files: ReadonlySet<string>;
}

/** In order of preference, for a body with several media types. */
const bodyKinds: readonly (readonly [BodyKind, RegExp])[] = [
  ["json", /^(application\/json|[^;]+\+json|application\/\*|\*\/\*)\s*(;|$)/i],
  ["form", /^application\/x-www-form-urlencoded\s*(;|$)/i],
  ["multipart", /^multipart\/form-data\s*(;|$)/i],
  ["text", /^(text\/.+|application\/(xml|yaml|x-ndjson|jsonl|graphql)|[^;]+\+(xml|yaml))\s*(;|$)/i],
  // other multipart types (multipart/mixed) cannot be encoded
  ["binary", /^(?!multipart\/)[^;/]+\/[^;/]+$/i],
];

/** Throws if the body is required and cannot be sent. An optional one is then left out. */
export function readBody({ operation, references, method }: OperationPlace): BodyPlan | undefined {
  if (operation.requestBody === undefined) return undefined;
  const { content, required, description } = references.follow(operation.requestBody);
  const all = Object.entries(fieldsOf(content));
  if (method === "get" || method === "head") {
    if (required === true) throw bodyNotAllowed(method);
    return undefined;
  }
  const media = all.filter(([type, value]) => canBeWritten(type, value, references));
  for (const [kind, pattern] of bodyKinds) {
    const found = media.find(([type]) => pattern.test(type));
    if (found === undefined) continue;
    const [mediaType, value] = found;
    const { schema = {}, encoding } = references.follow(value);
    const plain = isFields(schema) || typeof schema === "boolean" ? schema : {};
    return {
      kind,
      mediaType: mediaType.includes("*") ? wildcards[kind] : mediaType,
      schema: plain,
      required: required === true,
      description: textIf(description),
      encoding: fieldsOf(encoding),
      files: kind === "multipart" ? filesIn(plain, fieldsOf(encoding), references) : new Set(),
    };
  }
  if (required === true) throw unknownBody(all.map(([type]) => type));
  return undefined;
}

/** Whether a body of this type can be made from its schema: no XML can be made from fields, and no form from anything else. */
function canBeWritten(mediaType: string, media: unknown, references: OperationPlace["references"]): boolean {
  const { schema } = references.follow(media);
  const { type, properties, allOf, anyOf, oneOf } = isFields(schema) ? references.follow(schema) : {};
  const types = typeof type === "string" ? [type] : (listOf(type) as string[]);
  if (/^(application|text)\/xml\b|\+xml\b/i.test(mediaType)) {
    const isComposed = [properties, allOf, anyOf, oneOf].some((part) => part !== undefined);
    return types.length === 0 ? !isComposed : types.every((each) => each === "string" || each === "null");
  }
  if (/^multipart\//i.test(mediaType)) return types.length === 0 || types.includes("object");
  return true;
}

/** The media types to send in place of wildcards. */
const wildcards: Readonly<Record<BodyKind, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  text: "text/plain",
  binary: "application/octet-stream",
};

function filesIn(schema: unknown, encoding: Fields, references: OperationPlace["references"]): ReadonlySet<string> {
  const files = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    const fields = references.follow(part);
    if (seen.has(fields)) return;
    seen.add(fields);
    for (const [name, property] of Object.entries(fieldsOf(fields.properties))) {
      const { contentType } = fieldsOf(encoding[name]);
      if (isFile(references.follow(property), contentType, references)) files.add(name);
    }
    for (const each of Array.isArray(fields.allOf) ? fields.allOf : []) visit(each);
  };
  if (isFields(schema)) visit(schema);
  return files;
}

/** A file has `format: binary` in 3.0, and in 3.1 a media type and no encoding. An array of files counts too. */
function isFile(schema: Fields, contentType: unknown, references: OperationPlace["references"]): boolean {
  const { type, format, contentMediaType, contentEncoding, items } = schema;
  if (type === "array" && isFields(items)) return isFile(references.follow(items), contentType, references);
  if (type !== undefined && type !== "string") return false;
  if (format === "binary") return true;
  if (contentEncoding !== undefined) return false;
  return typeof contentMediaType === "string"
    ? isBinary(contentMediaType)
    : type === undefined && isBinary(contentType);
}

function isBinary(mediaType: unknown): boolean {
  return typeof mediaType === "string" && !/^text\/|[/+](json|xml|yaml)\b/i.test(mediaType);
}
