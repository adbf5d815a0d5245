import type { RequestContext } from "../../../src/components/request-context.js";
import { toolContext } from "../../../src/testing/tool-context.js";
import { openApiTools } from "../../../src/tools/openapi/open-api-tools.js";
import type { OpenApiTool } from "../../../src/tools/openapi/operation-tool.js";
import type { OpenApiToolsOptions } from "../../../src/tools/openapi/options.js";

/** A document with one operation. */
export function oneOperation(operation: object, more: object = {}, method = "get"): object {
  return { openapi: "3.1.0", info: { title: "T", version: "1" }, paths: { "/a": { [method]: operation } }, ...more };
}

/** The tool of such a document. */
export async function toolOf(document: object, options: OpenApiToolsOptions = {}): Promise<OpenApiTool> {
  const [tool] = await openApiTools(document, { baseUrl: "https://api.example.com", ...options });
  if (tool === undefined) throw new Error("no tool");
  return tool;
}

/** The request of a call of that tool, as `fetch` gets it. */
export async function sent(
  document: object,
  args: object,
  options: OpenApiToolsOptions = {},
  requestContext?: RequestContext,
): Promise<Request> {
  let request: Request | undefined;
  const fetch: OpenApiToolsOptions["fetch"] = async (url, init) => {
    request = new Request(url, init);
    return new Response();
  };
  const tool = await toolOf(document, { fetch, ...options });
  await tool.invoke(JSON.stringify(args), toolContext(requestContext && { requestContext }));
  if (request === undefined) throw new Error("nothing was sent");
  return request;
}
