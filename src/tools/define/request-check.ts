import type { AnyRequestContext } from "../../components/request-context.js";
import type { Checked, SchemaCheck } from "../../schema/validation/schema-check.js";
import { requestDoesNotFit, requestSchemaFailed, type ToolError } from "./errors.js";
import type { StagedCall } from "./tool-stages.js";

/** The value that a `requestContextSchema` checks: all values of the request context by name. */
export function requestValues(context: AnyRequestContext | undefined): Record<string, unknown> {
  return Object.fromEntries(context?.entries() ?? []);
}

/** Returns why a tool cannot run for a request; `undefined` if it can. Never throws or rejects. */
export function checkRequest(
  values: object,
  schema: SchemaCheck,
  call: StagedCall,
): ToolError | undefined | Promise<ToolError | undefined> {
  const mismatch = ({ issues }: Checked): ToolError | undefined =>
    issues === undefined ? undefined : requestDoesNotFit(call, values, issues);
  try {
    const checked = schema.check(values, call);
    if (!(checked instanceof Promise)) return mismatch(checked);
    return checked.then(mismatch, (cause) => requestSchemaFailed(call, cause));
  } catch (cause) {
    return requestSchemaFailed(call, cause);
  }
}
