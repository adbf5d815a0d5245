import type { ToolParameters } from "../../schema/json-schema/tool-parameters.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { createTool } from "../create-tool.js";
import type { ModelOutputOptions } from "../created-stages.js";
import type { Tool, ToolContext } from "../tool.js";
import { cannotAskApproval, toolWithoutExecute } from "./errors.js";

/** A tool of another format in the words of this package. */
export interface ForeignDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolParameters | undefined;
  readonly outputSchema: AnyStandardSchema | JsonSchema | undefined;
  /** `undefined`: it is executed outside. */
  readonly execute: ((input: unknown, ctx: ToolContext) => unknown) | undefined;
  readonly needsApproval: unknown;
  readonly toModelOutput?: ((result: ModelOutputOptions<unknown, unknown>) => unknown) | undefined;
  readonly metadata?: unknown;
}

export function nativeTool(definition: ForeignDefinition): Tool<never> {
  const { name, description, inputSchema, outputSchema, execute, toModelOutput } = definition;
  if (execute === undefined) throw toolWithoutExecute(name);
  if (definition.needsApproval !== undefined && definition.needsApproval !== false) throw cannotAskApproval(name);
  const metadata = definition.metadata as Readonly<Record<string, unknown>> | undefined;
  return createTool({
    id: name,
    description,
    inputSchema,
    outputSchema,
    execute,
    metadata,
    ...(toModelOutput && { toModelOutput }),
  });
}
