import { checkNames, duplicateStep, invalidOption } from "../errors.js";
import type { AnySchema, Made, Taken } from "./any-schema.js";
import { Workflow } from "./workflow.js";
import type { WorkflowOptions } from "./workflow-options.js";

const names = [
  ...["id", "description", "inputSchema", "outputSchema", "stateSchema", "steps", "retryConfig", "validateOutputs"],
  ...["options", "durability", "callbacks", "runtime"],
];

/**
 * Begins a workflow: steps are added with `.then`, `.map`, `.parallel`, `.branch`, `.foreach` and loops, and `.commit()`
 * ends it.
 *
 * @example
 * import { createStep, createWorkflow } from "kumiko/mastra";
 *
 * const shout = createStep({
 *   id: "shout",
 *   inputSchema: z.object({ text: z.string() }),
 *   outputSchema: z.object({ loud: z.string() }),
 *   execute: async ({ inputData }) => ({ loud: inputData.text.toUpperCase() }),
 * });
 * const workflow = createWorkflow({ id: "shouting", inputSchema: shout.inputSchema, outputSchema: shout.outputSchema })
 *   .then(shout)
 *   .commit();
 * const result = await workflow.createRun().start({ inputData: { text: "hello" } });
 * console.log(result.status === "success" && result.result);
 */
export function createWorkflow<
  InputSchema extends AnySchema | undefined = undefined,
  OutputSchema extends AnySchema | undefined = undefined,
>(
  options: WorkflowOptions<InputSchema, OutputSchema>,
): Workflow<Taken<InputSchema>, Taken<OutputSchema>, Made<InputSchema>> {
  checkNames("createWorkflow", options, names);
  const { id, steps = [], retryConfig = {}, durability } = options;
  if (typeof id !== "string" || id === "") throw invalidOption("createWorkflow needs an id: a non-empty string.");
  const where = `workflow "${id}"`;
  checkNames(`retryConfig of ${where}`, retryConfig, ["attempts", "delay"]);
  checkNames(`options of ${where}`, options.options ?? {}, ["validateInputs", "validateOutputs"]);
  checkCount(`retryConfig.attempts of ${where}`, retryConfig.attempts);
  checkCount(`retryConfig.delay of ${where}`, retryConfig.delay);
  if (durability !== undefined && durability !== "exit" && durability !== "step") {
    throw invalidOption(`durability of ${where} must be "exit" or "step" (got ${String(durability)}).`);
  }
  const ids = steps.map((step) => step?.id);
  const twice = ids.find((one, index) => ids.indexOf(one) !== index);
  if (twice !== undefined) throw duplicateStep(id, twice);
  return new Workflow(options);
}

function checkCount(name: string, value: unknown): void {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= 0)) return;
  throw invalidOption(`${name} must be a whole number of at least 0 (got ${String(value)}).`);
}
