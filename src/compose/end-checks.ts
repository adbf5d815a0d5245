import { checkOptions } from "../check-options.js";
import type { ValueCheck } from "./plan/plan.js";
import { valueCheck } from "./plan/value-check.js";

/** The checks of a graph's input and output. */
export interface EndChecks {
  readonly checkInput: ValueCheck | undefined;
  readonly checkOutput: ValueCheck | undefined;
}

/** Reads the options of a builder: optional schemas for input and output. */
export function readEndChecks(component: "graph" | "chain" | "workflow", options: object): EndChecks {
  checkOptions(`a ${component}`, options, ["input", "output"]);
  const { input, output }: { readonly input?: unknown; readonly output?: unknown } = options;
  return {
    checkInput: valueCheck(`The input of the ${component}`, input),
    checkOutput: valueCheck(`The output of the ${component}`, output),
  };
}
