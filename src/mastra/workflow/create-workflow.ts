import { checkMastraOptions, duplicateStep, invalidMastraOption } from "../errors.js";
import type { AcceptedBy, AnySchema, ParsedBy } from "./any-schema.js";
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
): Workflow<AcceptedBy<InputSchema>, AcceptedBy<OutputSchema>, ParsedBy<InputSchema>> {
  checkMastraOptions("createWorkflow", options, names);
  const { id, steps = [], retryConfig = {}, durability } = options;
  if (typeof id !== "string" || id === "") throw invalidMastraOption("createWorkflow needs an id: a non-empty string.");
  const where = `workflow "${id}"`;
  checkMastraOptions(`retryConfig of ${where}`, retryConfig, ["attempts", "delay"]);
  checkMastraOptions(`options of ${where}`, options.options ?? {}, ["validateInputs", "validateOutputs"]);
  checkCount(`retryConfig.attempts of ${where}`, retryConfig.attempts);
  checkCount(`retryConfig.delay of ${where}`, retryConfig.delay);
  if (durability !== undefined && durability !== "exit" && durability !== "step") {
    throw invalidMastraOption(`durability of ${where} must be "exit" or "step" (got ${String(durability)}).`);
  }
  const ids = steps.map((step) => step?.id);
  const twice = ids.find((one, index) => ids.indexOf(one) !== index);
  if (twice !== undefined) throw duplicateStep(id, twice);
  return new Workflow(options);
}

function checkCount(name: string, value: unknown): void {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= 0)) return;
  throw invalidMastraOption(`${name} must be a whole number of at least 0 (got ${String(value)}).`);
}
