import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { messageOf } from "../../errors.js";
import { type Fields, isFields } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";

/** How the content of a form becomes the answer of an interrupt. */
export type FormShape = "approval" | "elicitation" | "fields" | "value" | "answer" | "json" | "sampling" | "roots";

/** A question to the client, with what is needed to read its reply. */
export interface ClientQuestion {
  readonly id: string;
  readonly shape: FormShape;
  readonly schema: JsonSchema | undefined;
  /** The request that is sent to the client. */
  readonly request: Fields;
  /** Why the last answer was not accepted, if the question is asked again. */
  readonly rejected?: string | undefined;
}

/** The message of a question, for errors. */
export function questionText({ request: { method, params } }: ClientQuestion): string {
  const message = isFields(params) ? params.message : undefined;
  return typeof message === "string" ? message : String(method);
}

/** The request as it is sent: a question that is asked again says why. Requests for sampling or roots have no text for users. */
export function requestOf({ request, rejected }: ClientQuestion): Fields {
  const { params } = request;
  if (rejected === undefined || !isFields(params) || typeof params.message !== "string") return request;
  const message = `${params.message}\n\nThe last answer was not accepted: ${rejected}. Please answer again.`;
  return { ...request, params: { ...params, message } };
}

/** The capability that a client needs to answer. */
export type NeededCapability = "elicitation" | "elicitation.url" | "sampling" | "roots";

export function questionOf({ id, info, schema }: Interrupt): ClientQuestion {
  const kind = isFields(info) ? info.kind : undefined;
  const jsonSchema = schema as JsonSchema | undefined;
  const question = { id, schema: jsonSchema };
  if (kind === "mcp_sampling_request" && isFields(info)) {
    return { ...question, shape: "sampling", request: { method: "sampling/createMessage", params: info.params } };
  }
  if (kind === "mcp_roots_request") return { ...question, shape: "roots", request: { method: "roots/list" } };
  if (kind === "mcp_elicitation" && isFields(info)) {
    return { ...question, shape: "elicitation", request: forwardedElicitation(info, jsonSchema) };
  }
  if (kind === "tool_approval") return { ...question, shape: "approval", request: elicit(textOf(info), approval) };
  const { shape, requestedSchema } = formOf(jsonSchema);
  return { ...question, shape, request: elicit(textOf(info), requestedSchema) };
}

export function neededFor({ request }: ClientQuestion): NeededCapability {
  if (request.method === "sampling/createMessage") return "sampling";
  if (request.method === "roots/list") return "roots";
  return isFields(request.params) && request.params.mode === "url" ? "elicitation.url" : "elicitation";
}

function elicit(message: string, requestedSchema: Fields): Fields {
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

/** Forwards the question of an MCP server that a tool of this server calls. */
function forwardedElicitation({ mode, message, url }: Fields, schema: JsonSchema | undefined): Fields {
  const text = typeof message === "string" ? message : "";
  if (mode === "url") return { method: "elicitation/create", params: { mode, message: text, url } };
  const properties = isFields(schema?.properties) ? schema.properties : {};
  const content = isFields(properties.content) ? properties.content : { type: "object", properties: {} };
  return elicit(text, content);
}

const approval = {
  type: "object",
  properties: {
    approved: { type: "boolean", title: "Approve" },
    reason: { type: "string", title: "Reason" },
  },
  required: ["approved"],
};

function formOf(schema: JsonSchema | undefined): { shape: FormShape; requestedSchema: Fields } {
  if (schema === undefined) return { shape: "answer", requestedSchema: oneField("answer", { type: "string" }) };
  if (isFlat(schema)) return { shape: "fields", requestedSchema: flatSchema(schema) };
  if (isPrimitive(schema)) return { shape: "value", requestedSchema: oneField("value", withoutDialect(schema)) };
  const description = `JSON that matches this schema: ${JSON.stringify(schema)}`;
  return { shape: "json", requestedSchema: oneField("json", { type: "string", description }) };
}

function oneField(name: string, schema: Fields): Fields {
  return { type: "object", properties: { [name]: schema }, required: [name] };
}

/** Whether a form can show the schema: MCP forms are flat objects. */
function isFlat({ type, properties }: JsonSchema): boolean {
  return type === "object" && isFields(properties) && Object.values(properties).every(isFormField);
}

function flatSchema({ properties, required }: JsonSchema): Fields {
  return { type: "object", properties, ...(Array.isArray(required) && { required }) };
}

const formats: readonly unknown[] = [undefined, "email", "uri", "date", "date-time"];

function isPrimitive(schema: unknown): schema is JsonSchema {
  if (!isFields(schema)) return false;
  const { type, format } = schema;
  if (type === "string") return formats.includes(format) && schema.pattern === undefined;
  return type === "number" || type === "integer" || type === "boolean";
}

function isFormField(schema: unknown): boolean {
  if (isPrimitive(schema)) return true;
  if (!isFields(schema) || schema.type !== "array" || !isFields(schema.items)) return false;
  const { items } = schema;
  return Array.isArray(items.enum) || Array.isArray(items.anyOf);
}

function withoutDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function textOf(info: unknown): string {
  if (typeof info === "string") return info;
  if (!isFields(info)) return JSON.stringify(info) ?? "An answer is needed.";
  const { kind, message, toolName, input, payload } = info;
  if (kind === "tool_approval") return `May "${String(toolName)}" run? Arguments: ${JSON.stringify(input)}`;
  if (kind === "client_tool") return `Please do the work of "${String(toolName)}": ${JSON.stringify(input)}`;
  if (kind === "tool_suspended") return suspendedText(toolName, payload);
  return typeof message === "string" ? message : JSON.stringify(info);
}

function suspendedText(toolName: unknown, payload: unknown): string {
  if (typeof payload === "string") return payload;
  if (isFields(payload) && typeof payload.message === "string") return payload.message;
  const what = payload === undefined ? "" : `: ${JSON.stringify(payload)}`;
  return `"${String(toolName)}" needs an answer to go on${what}`;
}

/** The reply of a client: an answer, nothing yet, a reply of the wrong form, or a refusal. */
export type ClientReply =
  | { readonly kind: "answer"; readonly answer: unknown }
  | { readonly kind: "mismatch"; readonly reason: string }
  | { readonly kind: "missing" | "declined" };

const mismatch = (reason: string): ClientReply => ({ kind: "mismatch", reason });

export function readReply({ shape }: ClientQuestion, response: unknown): ClientReply {
  if (response === undefined) return { kind: "missing" };
  if (!isFields(response)) return mismatch("it must be an object");
  if (shape === "sampling") {
    return "content" in response ? { kind: "answer", answer: response } : mismatch("content is missing");
  }
  if (shape === "roots") {
    return Array.isArray(response.roots) ? { kind: "answer", answer: response } : mismatch("roots must be an array");
  }
  return readElicitation(shape, response);
}

function readElicitation(shape: FormShape, { action, content }: Fields): ClientReply {
  if (action !== "accept" && action !== "decline" && action !== "cancel")
    return mismatch('action must be "accept", "decline" or "cancel"');
  if (shape === "elicitation") {
    return { kind: "answer", answer: { action, ...(action === "accept" && isFields(content) && { content }) } };
  }
  if (action !== "accept") {
    if (shape === "approval") return { kind: "answer", answer: { approved: false, reason: `${action} by the client` } };
    return { kind: "declined" };
  }
  return isFields(content) ? readContent(shape, content) : mismatch("content is missing");
}

function readContent(shape: FormShape, content: Fields): ClientReply {
  switch (shape) {
    case "approval":
      return readApproval(content);
    case "value":
    case "answer":
      return shape in content ? { kind: "answer", answer: content[shape] } : mismatch(`${shape} is missing`);
    case "json":
      return readJson(content.json);
    default:
      return { kind: "answer", answer: content };
  }
}

function readApproval({ approved, reason }: Fields): ClientReply {
  if (typeof approved !== "boolean") return mismatch("approved must be true or false");
  return { kind: "answer", answer: { approved, ...(typeof reason === "string" && reason !== "" && { reason }) } };
}

function readJson(text: unknown): ClientReply {
  if (typeof text !== "string") return mismatch("json must be a string of JSON");
  try {
    return { kind: "answer", answer: JSON.parse(text) };
  } catch (error) {
    return mismatch(`json is not valid JSON (${messageOf(error)})`);
  }
}
