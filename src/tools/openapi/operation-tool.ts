import { type Fields, isObject, textIf } from "../../is.js";
import { toBase64 } from "../../schema/base64.js";
import type { ToolResultContent } from "../../schema/message/content-block.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { approvalFor } from "../define/approval-option.js";
import { type CreatedTool, createTool, type McpToolProperties } from "../define/create-tool.js";
import { refusalText, ToolCallError } from "../define/tool-call-error.js";
import { mediaKind } from "../mcp/mcp-content.js";
import { fieldsOf, listOf } from "./document.js";
import { brokenAnswer, noAddress, passwordInServerAddress } from "./errors.js";
import { exactOutput, parseExactly, withExactIntegers } from "./exact-json.js";
import { planOperation } from "./operation.js";
import { type OperationPlace, requestName } from "./operation-place.js";
import type { OpenApiOperation, OpenApiToolsOptions } from "./options.js";
import { SchemaWriter } from "./plain-schema.js";
import { makeRequest, type Target } from "./request.js";
import { planSecurity } from "./security.js";
import { sendRequest } from "./send-request.js";

/** A tool that calls one operation of an HTTP service; its `metadata` is an {@link OpenApiOperation}. */
export type OpenApiTool = CreatedTool<JsonSchema, JsonSchema | undefined>;

/** Makes the tool of one operation. Throws if its calls could not be sent. */
export function operationTool(
  name: string,
  metadata: OpenApiOperation,
  place: OperationPlace,
  options: OpenApiToolsOptions,
): OpenApiTool {
  const { method, path, operation, pathItem } = place;
  const { baseUrl, headers = {}, auth = {}, fetch } = options;
  const plan = planOperation(place);
  const identify = planSecurity(place, auth);
  const target: Target = { base: baseOf(place, baseUrl), method, path };
  /** The answers that are content, not data. */
  const contents = new WeakSet<object>();
  const texts = [operation.summary ?? pathItem.summary, operation.description ?? pathItem.description];
  return createTool<JsonSchema, JsonSchema | undefined>({
    id: name,
    description: [...new Set(texts)].filter((text) => typeof text === "string" && text !== "").join("\n\n"),
    inputSchema: plan.inputSchema,
    outputSchema: responseSchema(place),
    requireApproval: approvalFor(options, name, metadata),
    metadata: { ...metadata },
    mcp: hintsOf(place),
    execute: async (input, ctx) => {
      const given = typeof headers === "function" ? await headers(ctx) : headers;
      const exactInput = withExactIntegers(input, ctx.rawArguments ?? "") as Record<string, unknown>;
      const request = makeRequest(target, plan, exactInput, { given, ...(await identify(ctx)) });
      const { signal } = ctx;
      signal.throwIfAborted();
      const sending = { name: requestName(place), fetch: fetch ?? globalThis.fetch, signal };
      const { value, isContent } = await readAnswer(sending.name, await sendRequest(request, sending));
      if (isContent) contents.add(value);
      return value;
    },
    // a JSON answer is data, however it looks
    toModelOutput: ({ output }) => (isObject(output) && contents.has(output) ? output : exactOutput(output)),
  });
}

/** The HTTP semantics of a method as MCP hints. */
function hintsOf({ method, operation }: OperationPlace): McpToolProperties {
  const title = textIf(operation.summary);
  const readOnlyHint = ["get", "head", "options"].includes(method);
  const idempotentHint = readOnlyHint || method === "put" || method === "delete";
  return { annotations: { ...(title !== undefined && { title }), readOnlyHint, idempotentHint } };
}

/** The base URL of the operation: the option, or its nearest server. */
function baseOf({ document, pathItem, operation }: OperationPlace, baseUrl: string | undefined): string {
  const servers = [operation, pathItem, document].flatMap(({ servers }) => listOf(servers));
  const base = baseUrl ?? serverUrl(fieldsOf(servers[0]));
  if (base === undefined || !/^https?:\/\//i.test(base) || !URL.canParse(base)) throw noAddress(base);
  const { username, password } = new URL(base);
  if (username !== "" || password !== "") throw passwordInServerAddress();
  return base;
}

function serverUrl({ url, variables }: Fields): string | undefined {
  return textIf(url)?.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = fieldsOf(fieldsOf(variables)[name]).default;
    return textIf(variable) ?? whole;
  });
}

/** The output of a tool for an answer: JSON as a value, text as a string, and anything else as a content part. */
type ServiceAnswer =
  | { readonly isContent: true; readonly value: readonly ToolResultContent[] }
  | { readonly isContent: false; readonly value: unknown };

async function readAnswer(request: string, response: Response): Promise<ServiceAnswer> {
  const mimeType = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!response.ok) {
    const body = parseBody(await response.text(), mimeType);
    const { status, statusText } = response;
    throw new ToolCallError(refusalText(request, status, statusText, body), {
      source: "openapi",
      status,
      details: { body },
    });
  }
  if (isText(mimeType)) return { isContent: false, value: parseBody(await response.text(), mimeType) };
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) return { isContent: false, value: "" };
  return { isContent: true, value: [{ type: mediaKind(mimeType), base64Data: toBase64(bytes), mimeType }] };
}

const isJson = (mimeType: string): boolean => /^application\/json$|\+json$/.test(mimeType);

function isText(mimeType: string): boolean {
  return mimeType === "" || isJson(mimeType) || /^text\/|[/+](xml|yaml|javascript|x-ndjson)$/.test(mimeType);
}

/** A text that is declared as JSON and does not parse stays a string. */
function parseBody(text: string, mimeType: string): unknown {
  if (!isJson(mimeType)) return text;
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}

/**
 * The schema of an operation's successful answers, if all of them are JSON and have one; otherwise `undefined`. A part that is missing
 * in the document costs the tool its output schema, with a warning in the console, but does not cost the tool.
 */
function responseSchema(place: OperationPlace): JsonSchema | undefined {
  const { document, operation, references } = place;
  const answers = Object.entries(fieldsOf(operation.responses)).filter(([status]) => /^2(\d\d|XX)$/i.test(status));
  const isOldDialect = textIf(document.openapi)?.startsWith("3.0") ?? false;
  const writer = new SchemaWriter(references, isOldDialect, "answer");
  try {
    const schemas = answers.map(([, answer]) => {
      const content = Object.entries(fieldsOf(references.follow(answer).content));
      const [only, ...others] = content.map(([type, media]) => ({ type, schema: references.follow(media).schema }));
      const isJson = only !== undefined && others.length === 0 && /[/+]json\s*(;|$)/i.test(only.type);
      return isJson && only.schema !== undefined ? writer.write(only.schema) : undefined;
    });
    const [first] = schemas;
    if (first === undefined || schemas.includes(undefined)) return undefined;
    const whole = schemas.length === 1 && typeof first === "object" ? first : { anyOf: schemas };
    return writer.definitions === undefined ? whole : { ...whole, $defs: writer.definitions };
  } catch (error) {
    console.warn(brokenAnswer(requestName(place), error));
    return undefined;
  }
}
