import type { JsonSchema } from "../../schema/standard-schema.js";
import { copyToMend } from "../../schema/validation/fault-places.js";
import { reviveDates } from "../../schema/validation/revive-dates.js";
import type { Checked, SchemaCheck } from "../../schema/validation/schema-check.js";
import { argumentsDoNotFit, argumentsNotJson, argumentsNotObject, inputSchemaFailed } from "./errors.js";
import { jsonErrorPosition } from "./json-error-position.js";
import { type ArgumentRepair, repairText, repairValue } from "./repair-arguments.js";
import type { StagedCall } from "./tool-stages.js";

/** What a tool says about its input. */
export interface InputRule {
  readonly check: SchemaCheck;
  /** What repairs go by; `undefined` when the schema has no JSON form. */
  readonly jsonSchema: () => JsonSchema | undefined;
}

/** Arguments as the model wrote them → what `execute` gets. Fails with a `ToolError` of kind `parse` or `validation`. */
export function readInput(text: string, rule: InputRule | undefined, call: StagedCall): unknown {
  if (call.coerceArguments) return readCoerced(text, rule, call);
  const value = parseObject(text, call);
  if (rule === undefined) return value;
  return whenChecked(value, rule, call, (checked) => {
    if (checked.issues !== undefined) throw argumentsDoNotFit(call, value, checked.issues);
    return checked.value;
  });
}

/** The same, but what does not fit is repaired where its cause is clear, and is then validated again. */
function readCoerced(text: string, rule: InputRule | undefined, call: StagedCall): unknown {
  const { value, repairs } = parseOrRepair(text, call);
  if (rule === undefined) return accept(value, value, repairs, text, call);
  return whenChecked(value, rule, call, (checked) => {
    if (checked.issues === undefined) return accept(checked.value, value, repairs, text, call);
    const error = argumentsDoNotFit(call, value, checked.issues);
    const schema = rule.jsonSchema();
    if (schema === undefined) throw error;
    const repaired = copyToMend(value);
    const more = repairValue(repaired, schema, checked.issues);
    if (more.length === 0) throw error;
    return whenChecked(repaired, rule, call, (again) => {
      if (again.issues !== undefined) throw error;
      return accept(again.value, repaired, [...repairs, ...more], text, call);
    });
  });
}

/** Handlers hear of repairs. */
function accept(
  input: unknown,
  repaired: object,
  repairs: readonly ArgumentRepair[],
  text: string,
  call: StagedCall,
): unknown {
  const { toolName, callId } = call;
  if (repairs.length > 0) {
    call.report({ kind: "repaired_arguments", toolName, callId, arguments: text, repaired, repairs });
  }
  return input;
}

/** Where a schema wants dates, it gets them in a second attempt: a model can only write texts. */
function whenChecked(value: object, rule: InputRule, call: StagedCall, next: (checked: Checked) => unknown): unknown {
  return checkOnce(value, rule, call, (checked) => {
    const { issues } = checked;
    const schema = issues === undefined || rule.check.onlyJson ? undefined : rule.jsonSchema();
    const revived = schema && issues && reviveDates(value, schema, issues);
    return revived === undefined ? next(checked) : checkOnce(revived, rule, call, next);
  });
}

function checkOnce(
  value: object,
  { check }: InputRule,
  call: StagedCall,
  next: (checked: Checked) => unknown,
): unknown {
  let checked: Checked | Promise<Checked>;
  try {
    checked = check.check(value, call);
  } catch (cause) {
    throw inputSchemaFailed(call, cause);
  }
  if (!(checked instanceof Promise)) return next(checked);
  return checked.then(next, (cause) => {
    throw inputSchemaFailed(call, cause);
  });
}

function parseOrRepair(text: string, call: StagedCall): { value: object; repairs: readonly ArgumentRepair[] } {
  try {
    return { value: parseObject(text, call), repairs: [] };
  } catch (error) {
    const found = repairText(text);
    if (found === undefined) throw error;
    return { value: found.value, repairs: [found.repair] };
  }
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
