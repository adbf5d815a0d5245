import type { Checked, SchemaCheck } from "../../schema/validation/schema-check.js";
import { outputDoesNotFit, outputSchemaFailed, type ToolError } from "./errors.js";
import type { OutputValidation } from "./tool-settings.js";
import type { StagedCall } from "./tool-stages.js";

/** How a tool's output is checked. */
export interface OutputCheck {
  readonly schema: SchemaCheck;
  /** Whether it is a plain JSON Schema, which is checked only if `outputValidation` is set. */
  readonly plain: boolean;
  /** The tool's own setting, which comes before that of the node. */
  readonly validation: OutputValidation | undefined;
}

export function outputValidationOf(rule: OutputCheck, call: StagedCall): OutputValidation {
  return rule.validation ?? call.outputValidation ?? (rule.plain ? "off" : "error");
}

/** Returns the validated output, or a promise of it. If it does not fit: throws a `ToolError`, or warns and returns it. */
export function checkOutput(output: unknown, rule: OutputCheck, call: StagedCall): unknown {
  if (outputValidationOf(rule, call) === "off") return output;
  let checked: Checked | Promise<Checked>;
  try {
    checked = rule.schema.check(output, call);
  } catch (cause) {
    return refuse(outputSchemaFailed(call, output, cause), output, rule, call);
  }
  if (!(checked instanceof Promise)) return accept(checked, output, rule, call);
  return checked.then(
    (result) => accept(result, output, rule, call),
    (cause) => refuse(outputSchemaFailed(call, output, cause), output, rule, call),
  );
}

function accept(checked: Checked, output: unknown, rule: OutputCheck, call: StagedCall): unknown {
  if (checked.issues === undefined) return checked.value;
  return refuse(outputDoesNotFit(call, output, checked.issues), output, rule, call);
}

function refuse(problem: ToolError, output: unknown, rule: OutputCheck, call: StagedCall): unknown {
  if (outputValidationOf(rule, call) === "error") throw problem;
  call.warn(problem);
  return output;
}
