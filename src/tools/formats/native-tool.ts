import type { ApprovalRule, Tool, ToolContext } from "../../components/tool.js";
import type { ToolOptions } from "../../components/tool-options.js";
import type { DeclaredConcat } from "../../schema/concat/rule.js";
import type { ToolParameters } from "../../schema/json-schema/tool-parameters.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { ProviderTool } from "../../schema/tool-info.js";
import type { PayloadRule } from "../define/approval.js";
import { type McpToolProperties, makeTool } from "../define/create-tool.js";
import type { ModelOutputOptions } from "../define/created-stages.js";
import type { AnyToolHooks } from "../define/tool-hooks.js";
import type { OutputValidation } from "../define/tool-settings.js";

/** A tool of another format, with the field names of this package. */
export interface ForeignDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolParameters | undefined;
  readonly outputSchema: AnyStandardSchema | JsonSchema | undefined;
  /** `undefined` for a tool that is executed elsewhere. */
  readonly execute: ((input: unknown, ctx: ToolContext) => unknown) | undefined;
  readonly requireApproval: ApprovalRule<unknown>;
  readonly approvalPayload?: PayloadRule | undefined;
  readonly suspendSchema?: AnyStandardSchema | JsonSchema | undefined;
  readonly resumeSchema?: AnyStandardSchema | JsonSchema | undefined;
  readonly requestContextSchema?: AnyStandardSchema | JsonSchema | undefined;
  readonly hooks?: AnyToolHooks | undefined;
  readonly toModelOutput?: ((result: ModelOutputOptions<unknown, unknown>) => unknown) | undefined;
  readonly timeoutMs?: unknown;
  readonly outputValidation?: unknown;
  readonly metadata?: unknown;
  readonly mcp?: unknown;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  readonly provider?: ProviderTool | undefined;
  readonly concat?: unknown;
  readonly options?: unknown;
  readonly rawArguments?: unknown;
}

export function nativeTool(definition: ForeignDefinition): Tool<never> {
  const { approvalPayload, ...given } = definition;
  const { name, execute, hooks, toModelOutput, timeoutMs, outputValidation, metadata, mcp, ...others } = given;
  const { concat, options, rawArguments, ...rest } = others;
  const created = {
    id: name,
    ...rest,
    ...hooks,
    ...(execute && { execute }),
    ...(toModelOutput && { toModelOutput }),
    // createTool checks these
    timeoutMs: timeoutMs as number | undefined,
    outputValidation: outputValidation as OutputValidation | undefined,
    metadata: metadata as Readonly<Record<string, unknown>> | undefined,
    mcp: mcp as McpToolProperties | undefined,
    concat: concat as DeclaredConcat | undefined,
    options: options as ToolOptions<object> | undefined,
    rawArguments: rawArguments as boolean | undefined,
  };
  return makeTool(created as never, undefined, approvalPayload) as Tool<never>;
}
