import type { RequestContext } from "kumiko";
import { type OpenApiTool, type OpenApiToolsOptions, openApiTools } from "kumiko/openapi";
import { toolContext } from "kumiko/testing";

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
