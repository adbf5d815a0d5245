import { messageOf } from "../../errors.js";
import { type Fields, isFields, textIf } from "../../is.js";
import { checkApprovalNames } from "../define/approval-option.js";
import { fieldsOf, listOf, methods } from "./document.js";
import { notADocument, operationsUnusable } from "./errors.js";
import { type OperationPlace, requestName } from "./operation-place.js";
import { type OpenApiTool, operationTool } from "./operation-tool.js";
import type { OpenApiOperation, OpenApiToolsOptions } from "./options.js";
import { openReferences, type References } from "./references.js";
import { checkAuth } from "./security.js";

/**
 * Makes a tool of each operation of an OpenAPI document (3.0 or 3.1, parsed). Its name is the `operationId`, else method
 * and path; path, query, header and cookie parameters are its arguments, and the body is the argument `body`, in which files
 * are base64. An answer whose status is not a success is an error of kind `execution`, caused by an {@link ToolCallError}.
 * Needs the package `@apidevtools/json-schema-ref-parser`. Nothing outside the document is read. Throws one error that names every
 * operation that cannot become a tool (`SCHEMA_INVALID`); leave these out with `filter`.
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
  if (!isFields(document) || !/^3\.[01]\b/.test(textIf(document.openapi) ?? "") || !isFields(document.paths ?? {}))
    throw notADocument(document);
  const tools = new Map<string, OpenApiTool>();
  const problems: string[] = [];
  const causes: unknown[] = [];
  const note = (where: string, error: unknown): void => {
    problems.push(`${where}: ${messageOf(error)}`);
    causes.push(error);
  };
  const references = await openReferences(document);
  if (options.auth !== undefined) checkAuth(document, options.auth);
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
  checkApprovalNames("openApiTools", options, [...tools.keys()]);
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
    operationId: textIf(operation.operationId),
    tags: listOf(operation.tags).filter((tag) => typeof tag === "string"),
    deprecated: operation.deprecated === true,
  };
}

/** Adds a number to a name that is taken. */
function freeName({ operationId, method, path }: OpenApiOperation, taken: ReadonlyMap<string, unknown>): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const base = operationId || [method, ...words].join("_");
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  return name;
}
