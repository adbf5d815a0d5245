import { invalidOption } from "./errors.js";
import type { ValueCheck } from "./plan/plan.js";
import { valueCheck } from "./plan/value-check.js";

/** The checks of a graph's input and output. */
export interface EndChecks {
  readonly checkInput: ValueCheck | undefined;
  readonly checkOutput: ValueCheck | undefined;
}

/** Reads the options of a builder: optional schemas for input and output. */
export function readEndChecks(component: "graph" | "chain" | "workflow", options: object): EndChecks {
  if (typeof options !== "object" || options === null)
    throw invalidOption(`The options of a ${component} must be an object.`);
  const other = Object.keys(options).find((name) => name !== "input" && name !== "output");
  if (other !== undefined) throw invalidOption(`Unknown option "${other}" of a ${component}. Options: input, output.`);
  const { input, output }: { readonly input?: unknown; readonly output?: unknown } = options;
  return {
    checkInput: valueCheck(`The input of the ${component}`, input),
    checkOutput: valueCheck(`The output of the ${component}`, output),
  };
}
