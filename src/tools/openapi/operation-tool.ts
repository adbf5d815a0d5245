import { type Fields, isObject, textIf } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { approvalFor } from "../define/approval-option.js";
import { type CreatedTool, createTool, type McpToolProperties } from "../define/create-tool.js";
import { readAnswer } from "./answer.js";
import { fieldsOf, listOf } from "./document.js";
import { noAddress, passwordInServerAddress } from "./errors.js";
import { exactOutput, withExactIntegers } from "./exact-json.js";
import { planOperation } from "./operation.js";
import { type OperationPlace, requestName } from "./operation-place.js";
import type { OpenApiOperation, OpenApiToolsOptions } from "./options.js";
import { makeRequest, type Target } from "./request.js";
import { responseSchema } from "./response-schema.js";
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

/** What HTTP specifies about a method, as MCP hints. */
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
