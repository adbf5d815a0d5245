import type { AnyRequestContext } from "../../components/request-context.js";
import type { Checked, SchemaCheck } from "../../schema/validation/schema-check.js";
import { requestDoesNotFit, requestSchemaFailed, type ToolError } from "./errors.js";
import type { StagedCall } from "./tool-stages.js";

/** What a `requestContextSchema` checks: all values of a request by their names. */
export function requestValues(context: AnyRequestContext | undefined): Record<string, unknown> {
  return Object.fromEntries(context?.entries() ?? []);
}

/** Why a tool cannot run for a request; `undefined` when it can. Never fails. */
export function checkRequest(
  values: object,
  schema: SchemaCheck,
  call: StagedCall,
): ToolError | undefined | Promise<ToolError | undefined> {
  const misfit = ({ issues }: Checked): ToolError | undefined =>
    issues === undefined ? undefined : requestDoesNotFit(call, values, issues);
  try {
    const checked = schema.check(values, call);
    if (!(checked instanceof Promise)) return misfit(checked);
    return checked.then(misfit, (cause) => requestSchemaFailed(call, cause));
  } catch (cause) {
    return requestSchemaFailed(call, cause);
  }
}
