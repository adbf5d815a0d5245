import type { JsonSchema } from "../../schema/standard-schema.js";
import { copyForRepair } from "../../schema/validation/fault-places.js";
import { reviveDates } from "../../schema/validation/revive-dates.js";
import { type Checked, whenChecked } from "../../schema/validation/schema-check.js";
import { argumentsDoNotFit } from "./errors.js";
import { type ArgumentRepair, repairText, repairValue } from "./repair-arguments.js";
import type { StagedCall } from "./tool-stages.js";

/** How mended arguments are checked. */
export interface MendingRule {
  /** Of the input; `undefined` if it has none. */
  readonly jsonSchema: () => JsonSchema | undefined;
  /** Whether the check knows JSON values only, and so no dates. */
  readonly onlyJson: boolean;
  readonly check: (value: object) => Checked | Promise<Checked>;
}

/** Arguments that were parsed, and perhaps repaired for it. */
interface Parsed {
  readonly text: string;
  readonly value: object;
  readonly checked: Checked;
  readonly repairs: readonly ArgumentRepair[];
}

/** Reads the object inside a text that is none itself. Fails with the error if there is none. */
export function readText(text: string, rule: MendingRule | undefined, call: StagedCall, error: Error): unknown {
  const found = repairText(text);
  if (found === undefined) throw error;
  const { value, repair } = found;
  if (rule === undefined) return accept(value, value, [repair], text, call);
  return whenChecked(rule.check(value), (checked) =>
    readUnfit({ text, value, checked, repairs: [repair] }, rule, call),
  );
}

/**
 * Goes on with arguments that may not fit their schema. If it expects dates, tries again with dates in place of strings: a model
 * can only write strings. If the call allows repairs, what does not fit is repaired where the cause is clear, and validated again.
 */
export function readUnfit(parsed: Parsed, rule: MendingRule, call: StagedCall): unknown {
  const { text, value, repairs } = parsed;
  return whenDated(parsed.checked, value, rule, (checked) => {
    if (checked.issues === undefined) return accept(checked.value, value, repairs, text, call);
    const error = argumentsDoNotFit(call, value, checked.issues);
    const schema = call.coerceArguments ? rule.jsonSchema() : undefined;
    if (schema === undefined) throw error;
    const repaired = copyForRepair(value);
    const more = repairValue(repaired, schema, checked.issues);
    if (more.length === 0) throw error;
    return whenChecked(rule.check(repaired), (first) =>
      whenDated(first, repaired, rule, (again) => {
        if (again.issues !== undefined) throw error;
        return accept(again.value, repaired, [...repairs, ...more], text, call);
      }),
    );
  });
}

/** Reports repairs to handlers, and returns the input. */
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

function whenDated(checked: Checked, value: object, rule: MendingRule, next: (checked: Checked) => unknown): unknown {
  const { issues } = checked;
  const schema = issues === undefined || rule.onlyJson ? undefined : rule.jsonSchema();
  const revived = schema && issues && reviveDates(value, schema, issues);
  return revived === undefined ? next(checked) : whenChecked(rule.check(revived), next);
}
