import { outputDoesNotFit, outputSchemaFailed, type ToolError } from "./errors.js";
import type { Checked, SchemaCheck } from "./schema-check.js";
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
  const validation = outputValidationOf(rule, call);
  if (validation === "off") return output;
  const refuse = (problem: ToolError): unknown => {
    if (validation === "error") throw problem;
    call.warn(problem);
    return output;
  };
  const accept = (checked: Checked): unknown =>
    checked.issues === undefined ? checked.value : refuse(outputDoesNotFit(call, output, checked.issues));
  const failed = (cause: unknown): unknown => refuse(outputSchemaFailed(call, output, cause));
  let checked: Checked | Promise<Checked>;
  try {
    checked = rule.schema.check(output, call.validator);
  } catch (cause) {
    return failed(cause);
  }
  return checked instanceof Promise ? checked.then(accept, failed) : accept(checked);
}
