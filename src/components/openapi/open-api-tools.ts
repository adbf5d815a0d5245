import { messageOf } from "../../errors.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { type CreatedTool, createTool } from "../create-tool.js";
import type { ToolContext } from "../tool.js";
import { readAnswer } from "./answer.js";
import { type Fields, fieldsOf, type HttpMethod, isFields, listOf, methods, textOf } from "./document.js";
import { addressWithPassword, noAddress, notADocument, operationsUnusable } from "./errors.js";
import { type OperationPlace, planOperation } from "./operation.js";
import { openReferences, type References } from "./references.js";
import { makeRequest, type Target } from "./request.js";
import { sendRequest } from "./send-request.js";

/** Headers, or what gives them for a call. */
export type OpenApiHeaders =
  | Readonly<Record<string, string>>
  | ((ctx: ToolContext) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

export interface OpenApiToolsOptions {
  /** Where the service is. @default the first server of the operation, its path or the document */
  readonly baseUrl?: string | undefined;
  /**
   * Sent with each request: keys and tokens belong here. They replace what a model gives for a header of that name. A
   * function is called for each call, and can take them from `ctx.requestContext`.
   */
  readonly headers?: OpenApiHeaders | undefined;
  /** @default the global one */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Which operations become tools. @default all */
  readonly filter?: ((operation: OpenApiOperation) => boolean) | undefined;
}

/** What a tool was made of: its `metadata`. */
export interface OpenApiOperation {
  readonly method: HttpMethod;
  /** As in the document: `/pets/{petId}`. */
  readonly path: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
}

export type OpenApiTool = CreatedTool<JsonSchema>;

/**
 * Makes a tool of each operation of an OpenAPI document (3.0 or 3.1, parsed). Its name is the `operationId`, else method
 * and path; path, query and header parameters are its arguments, and the body is the argument `body`. An answer that is no
 * success is an error of kind `execution`, caused by an `HttpStatusError`. Needs the package
 * `@apidevtools/json-schema-ref-parser`. Nothing outside of the document is read; cookies are not sent.
 *
 * @example
 * const document = {
 *   openapi: "3.1.0",
 *   servers: [{ url: "https://pets.example.com/v1" }],
 *   paths: {
 *     "/pets/{petId}": {
 *       get: {
 *         operationId: "getPet",
 *         parameters: [{ name: "petId", in: "path", required: true, schema: { type: "integer" } }],
 *       },
 *     },
 *   },
 * };
 * const pets = await openApiTools(document, { headers: { authorization: "Bearer …" } });
 * const node = new AgenticToolsNode(pets);
 */
export async function openApiTools(document: object, options: OpenApiToolsOptions = {}): Promise<OpenApiTool[]> {
  if (!isFields(document) || !/^3\.[01]\b/.test(textOf(document.openapi) ?? "") || !isFields(document.paths ?? {}))
    throw notADocument(document);
  const tools = new Map<string, OpenApiTool>();
  const problems: string[] = [];
  const causes: unknown[] = [];
  const note = (where: string, error: unknown): void => {
    problems.push(`${where}: ${messageOf(error)}`);
    causes.push(error);
  };
  const references = await openReferences(document);
  for (const [path, item] of Object.entries(fieldsOf(document.paths))) {
    for (const place of operationsAt(path, item, document, references, note)) {
      const operation = describeOperation(place);
      if (options.filter?.(operation) === false) continue;
      try {
        const name = freeName(operation, tools);
        tools.set(name, operationTool(name, operation, place, options));
      } catch (error) {
        note(requestName(place), error);
      }
    }
  }
  if (problems.length > 0) throw operationsUnusable(problems, causes[0]);
  return [...tools.values()];
}

function operationsAt(
  path: string,
  item: unknown,
  document: Fields,
  references: References,
  note: (where: string, error: unknown) => void,
): OperationPlace[] {
  if (path.startsWith("x-")) return [];
  try {
    const pathItem = references.follow(item);
    const there = methods.filter((method) => pathItem[method] !== undefined);
    return there.map((method) => {
      return { document, path, method, pathItem, operation: fieldsOf(pathItem[method]), references };
    });
  } catch (error) {
    note(path, error);
    return [];
  }
}

function describeOperation({ method, path, operation }: OperationPlace): OpenApiOperation {
  return {
    method,
    path,
    operationId: textOf(operation.operationId),
    tags: listOf(operation.tags).filter((tag) => typeof tag === "string"),
    deprecated: operation.deprecated === true,
  };
}

/** A second one of the same name gets a number. */
function freeName({ operationId, method, path }: OpenApiOperation, taken: ReadonlyMap<string, unknown>): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const base = operationId || [method, ...words].join("_");
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  return name;
}

function operationTool(
  name: string,
  metadata: OpenApiOperation,
  place: OperationPlace,
  { baseUrl, headers = {}, fetch }: OpenApiToolsOptions,
): OpenApiTool {
  const { method, path, operation, pathItem } = place;
  const plan = planOperation(place);
  const target: Target = { base: baseOf(place, baseUrl), method, path };
  const texts = [operation.summary ?? pathItem.summary, operation.description ?? pathItem.description];
  return createTool<JsonSchema>({
    id: name,
    description: [...new Set(texts)].filter((text) => typeof text === "string" && text !== "").join("\n\n"),
    inputSchema: plan.inputSchema,
    metadata: { ...metadata },
    execute: async (input, ctx) => {
      const given = typeof headers === "function" ? await headers(ctx) : headers;
      const request = makeRequest(target, plan, input, given);
      const { signal } = ctx;
      const options = { name: requestName(place), fetch: fetch ?? globalThis.fetch, signal };
      return readAnswer(options.name, await sendRequest(request, options));
    },
  });
}

const requestName = ({ method, path }: OperationPlace): string => `${method.toUpperCase()} ${path}`;

/** Where the operation is: what was given, or its nearest server. */
function baseOf({ document, pathItem, operation }: OperationPlace, baseUrl: string | undefined): string {
  const servers = [operation, pathItem, document].flatMap(({ servers }) => listOf(servers));
  const base = baseUrl ?? serverUrl(fieldsOf(servers[0]));
  if (base === undefined || !/^https?:\/\//i.test(base) || !URL.canParse(base)) throw noAddress(base);
  const { username, password } = new URL(base);
  if (username !== "" || password !== "") throw addressWithPassword();
  return base;
}

function serverUrl({ url, variables }: Fields): string | undefined {
  return textOf(url)?.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = fieldsOf(fieldsOf(variables)[name]).default;
    return textOf(variable) ?? whole;
  });
}
