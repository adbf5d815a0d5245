import { checkOptions, type OptionCheck } from "../../check-options.js";
import { messageOf } from "../../errors.js";
import { type Fields, isFields, textIf } from "../../is.js";
import { checkApprovalNames } from "../define/approval-option.js";
import { type ClosableTools, closable, ToolSelection, toolSourceOptions } from "../define/tool-source.js";
import { fieldsOf, listOf, methods } from "./document.js";
import { notADocument, operationsUnusable } from "./errors.js";
import { type OperationPlace, requestName } from "./operation-place.js";
import { type OpenApiTool, operationTool } from "./operation-tool.js";
import type { OpenApiOperation, OpenApiToolsOptions } from "./options.js";
import { openReferences, type References } from "./references.js";
import { checkAuth } from "./security.js";

/**
 * Makes a tool of each operation of an OpenAPI document (3.0 or 3.1, parsed). Its name is the `operationId`, else its method
 * and path; path, query, header and cookie parameters are its arguments, and the body is the argument `body`, in which files
 * are base64. An answer whose status is not a success is an error of kind `execution`, caused by an `ToolCallError`.
 * Needs the package `@apidevtools/json-schema-ref-parser`. Nothing outside the document is read. Throws one error that names every
 * operation that cannot become a tool (`SCHEMA_INVALID`); leave these out with `exclude`.
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
export async function openApiTools(
  document: object,
  options: OpenApiToolsOptions = {},
): Promise<ClosableTools<OpenApiTool>> {
  if (!isFields(document) || !/^3\.[01]\b/.test(textIf(document.openapi) ?? "") || !isFields(document.paths ?? {}))
    throw notADocument(document);
  checkOptions(where, options, optionChecks);
  const references = await openReferences(document);
  if (options.auth !== undefined) checkAuth(document, options.auth);
  const found = Object.entries(fieldsOf(document.paths)).flatMap(([path, item]) =>
    operationsAt(path, item, document, references),
  );
  const operations = found.flatMap((each) => ("error" in each ? [] : [describeOperation(each)]));
  const selection = new ToolSelection<OpenApiOperation>(options, { where, kind: "operation", isNamed });
  if (operations.length === found.length) selection.checkNames(operations, operations.map(baseName));
  const tools = new Map<string, OpenApiTool>();
  const problems: string[] = [];
  const causes: unknown[] = [];
  const note = (place: string, error: unknown): void => {
    problems.push(`${place}: ${messageOf(error)}`);
    causes.push(error);
  };
  for (const each of found) {
    if ("error" in each) {
      note(each.path, each.error);
      continue;
    }
    const operation = describeOperation(each);
    if (!selection.has(operation)) continue;
    try {
      const name = freeName(`${options.prefix ?? ""}${baseName(operation)}`, tools);
      tools.set(name, operationTool(name, operation, each, options));
    } catch (error) {
      note(requestName(each), error);
    }
  }
  if (problems.length > 0) throw operationsUnusable(problems, causes[0]);
  checkApprovalNames(where, options, [...tools.keys()]);
  return closable([...tools.values()]);
}

const where = "openApiTools";
const isNamed = (operation: OpenApiOperation, name: string): boolean => baseName(operation) === name;

const optionChecks = {
  ...toolSourceOptions,
  baseUrl: [(value) => typeof value === "string", "a URL as a string"],
  headers: [(value) => isFields(value) || typeof value === "function", "headers, or a function that returns them"],
  auth: [isFields, "a record of credentials"],
  fetch: [(value) => typeof value === "function", "a function"],
} as const satisfies Readonly<Record<keyof OpenApiToolsOptions, OptionCheck | true>>;

interface BrokenPath {
  readonly path: string;
  readonly error: unknown;
}

function operationsAt(
  path: string,
  item: unknown,
  document: Fields,
  references: References,
): readonly (OperationPlace | BrokenPath)[] {
  if (path.startsWith("x-")) return [];
  try {
    const pathItem = references.follow(item);
    const there = methods.filter((method) => pathItem[method] !== undefined);
    return there.map((method) => {
      return { document, path, method, pathItem, operation: fieldsOf(pathItem[method]), references };
    });
  } catch (error) {
    return [{ path, error }];
  }
}

function describeOperation({ method, path, operation }: OperationPlace): OpenApiOperation {
  return {
    method,
    path,
    operationId: textIf(operation.operationId),
    tags: listOf(operation.tags).filter((tag) => typeof tag === "string"),
    deprecated: operation.deprecated === true,
  };
}

/** The `operationId`, or the method and the words of the path. */
function baseName({ operationId, method, path }: OpenApiOperation): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return operationId || [method, ...words].join("_");
}

/** Adds a number to a name that is taken. */
function freeName(base: string, taken: ReadonlyMap<string, unknown>): string {
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  return name;
}
