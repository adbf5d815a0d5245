import type { Checked, SchemaCheck } from "../../schema/validation/schema-check.js";
import { outputDoesNotFit, outputSchemaFailed, type ToolError } from "./errors.js";
import type { OutputValidation } from "./tool-settings.js";
import type { StagedCall } from "./tool-stages.js";

/** What a tool says about its output. */
export interface OutputRule {
  readonly schema: SchemaCheck;
  /** A plain JSON Schema is checked only where somebody says so. */
  readonly plain: boolean;
  /** What the tool itself says; it comes before what the node says. */
  readonly validation: OutputValidation | undefined;
}

export function outputValidationOf(rule: OutputRule, call: StagedCall): OutputValidation {
  return rule.validation ?? call.outputValidation ?? (rule.plain ? "off" : "error");
}

/** The output as its schema has it, or a promise of it. Where it does not fit, a `ToolError`, or a warning and the output. */
export function checkOutput(output: unknown, rule: OutputRule, call: StagedCall): unknown {
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

function accept(checked: Checked, output: unknown, rule: OutputRule, call: StagedCall): unknown {
  if (checked.issues === undefined) return checked.value;
  return refuse(outputDoesNotFit(call, output, checked.issues), output, rule, call);
}

function refuse(problem: ToolError, output: unknown, rule: OutputRule, call: StagedCall): unknown {
  if (outputValidationOf(rule, call) === "error") throw problem;
  call.warn(problem);
  return output;
}
