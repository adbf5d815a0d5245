import type { JsonSchema } from "../../schema/standard-schema.js";
import type { Checked, SchemaCheck } from "../../schema/validation/schema-check.js";
import { inputSchemaFailed } from "./errors.js";
import type { StagedCall } from "./tool-stages.js";

/** How a tool's input is checked. */
export interface InputRule {
  readonly check: SchemaCheck;
  /** The JSON Schema that repairs are based on; `undefined` if the schema has none. */
  readonly jsonSchema: () => JsonSchema | undefined;
}

export function checkOnce(value: object, { check }: InputRule, call: StagedCall): Checked | Promise<Checked> {
  let checked: Checked | Promise<Checked>;
  try {
    checked = check.check(value, call);
  } catch (cause) {
    throw inputSchemaFailed(call, cause);
  }
  if (!(checked instanceof Promise)) return checked;
  return checked.catch((cause) => {
    throw inputSchemaFailed(call, cause);
  });
}

export function whenReady(checked: Checked | Promise<Checked>, next: (checked: Checked) => unknown): unknown {
  return checked instanceof Promise ? checked.then(next) : next(checked);
}
