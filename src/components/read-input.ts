import { argumentsDoNotFit, argumentsNotJson, argumentsNotObject, inputSchemaFailed } from "./errors.js";
import { jsonErrorPosition } from "./json-error-position.js";
import type { Checked, SchemaCheck } from "./schema-check.js";
import type { StagedCall } from "./tool-stages.js";

/** Arguments as the model wrote them → what `execute` gets. Fails with a `ToolError` of kind `parse` or `validation`. */
export function readInput(text: string, schema: SchemaCheck | undefined, call: StagedCall): unknown {
  const value = parseObject(text, call);
  if (schema === undefined) return value;
  let checked: Checked | Promise<Checked>;
  try {
    checked = schema.check(value, call);
  } catch (cause) {
    throw inputSchemaFailed(call, cause);
  }
  if (!(checked instanceof Promise)) return accept(checked, value, call);
  return checked.then(
    (result) => accept(result, value, call),
    (cause) => {
      throw inputSchemaFailed(call, cause);
    },
  );
}

/** Empty text is an empty object. */
function parseObject(text: string, call: StagedCall): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (text.trim() === "") return {};
    throw argumentsNotJson(call, text, jsonErrorPosition(text), cause);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw argumentsNotObject(call, value);
}

function accept(checked: Checked, value: unknown, call: StagedCall): unknown {
  if (checked.issues !== undefined) throw argumentsDoNotFit(call, value, checked.issues);
  return checked.value;
}
