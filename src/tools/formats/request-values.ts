import type { ToolContext } from "../../components/tool.js";

/** The values of the request, as the record that other packages call the context of a run. */
export function requestValues({ requestContext }: ToolContext): Record<string, unknown> {
  return requestContext === undefined ? {} : Object.fromEntries(requestContext.entries());
}
