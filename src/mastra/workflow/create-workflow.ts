import { checkOptions } from "../../check-options.js";
import type { OnlyInputSchema } from "../../tools/define/create-tool.js";
import { checkMastraSchemas, duplicateStep, invalidMastraOption } from "../errors.js";
import type { AcceptedBy, AnySchema, ParsedBy } from "./any-schema.js";
import { Workflow } from "./workflow.js";
import type { WorkflowOptions } from "./workflow-options.js";

const optionNames = [
  ...["id", "description", "inputSchema", "outputSchema", "stateSchema", "steps", "retryConfig", "validateOutputs"],
  ...["options", "durability", "callbacks", "runtime"],
];

/**
 * Creates a workflow. Add steps with `.then`, `.map`, `.parallel`, `.branch`, `.foreach`, `.dowhile` and `.dountil`, then call
 * `.commit()`.
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
  options: WorkflowOptions<InputSchema, OutputSchema> & OnlyInputSchema<InputSchema>,
): Workflow<AcceptedBy<InputSchema>, AcceptedBy<OutputSchema>, ParsedBy<InputSchema>> {
  checkOptions("createWorkflow", options, optionNames);
  const { id, steps = [], retryConfig = {}, durability } = options;
  if (typeof id !== "string" || id === "")
    throw invalidMastraOption(`id of createWorkflow must be a non-empty string (got ${String(id)}).`);
  const where = `workflow "${id}"`;
  const { inputSchema, outputSchema, stateSchema } = options;
  checkMastraSchemas(where, { inputSchema, outputSchema, stateSchema });
  checkOptions(`retryConfig of ${where}`, retryConfig, ["attempts", "delay"]);
  checkOptions(`options of ${where}`, options.options ?? {}, ["validateInputs", "validateOutputs"]);
  checkCount(`retryConfig.attempts of ${where}`, retryConfig.attempts);
  checkCount(`retryConfig.delay of ${where}`, retryConfig.delay);
  if (durability !== undefined && durability !== "exit" && durability !== "step") {
    throw invalidMastraOption(`durability of ${where} must be "exit" or "step" (got ${String(durability)}).`);
  }
  const ids = steps.map((step) => step?.id);
  const duplicate = ids.find((stepId, index) => ids.indexOf(stepId) !== index);
  if (duplicate !== undefined) throw duplicateStep(id, duplicate);
  return new Workflow(options);
}

function checkCount(name: string, value: unknown): void {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= 0)) return;
  throw invalidMastraOption(`${name} must be a whole number of at least 0 (got ${String(value)}).`);
}
