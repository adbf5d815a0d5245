import type { Tool, ToolContext } from "../../components/tool.js";
import type { Fields } from "../../schema/fields.js";
import type { AnyStandardSchema, JsonSchema, StandardSchemaV1 } from "../../schema/standard-schema.js";
import { canValidate } from "../../schema/validation/schema-check.js";
import { ToolError } from "../define/errors.js";
import { modelOutputOf } from "./ai-sdk-output.js";
import { inputSchemaOf, outputSchemaOf } from "./ai-sdk-schema.js";
import { approvalOf } from "./approval-of.js";
import { foreignHooks } from "./foreign-hooks.js";
import { type AnyFunction, isFunction, textOr } from "./foreign-tool.js";
import { mastraContext } from "./mastra-context.js";
import { modelExtra, withTitle } from "./model-extra.js";
import { nativeTool } from "./native-tool.js";
import { requestValues } from "./request-values.js";

const mark = Symbol.for("mastra.core.tool.Tool");

export function isMastraTool(tool: object): boolean {
  return mark in tool;
}

/** A tool that Mastra's `createTool` made. It checks its input and its output itself, and gives back what is wrong. */
export function mastraTool(tool: Fields, name: string): Tool<never> {
  const { execute, toModelOutput, description, metadata } = tool;
  const schema = inputSchemaOf(tool.inputSchema);
  const checked = canValidate(schema) ? schema : undefined;
  return nativeTool({
    name,
    description: textOr(description, ""),
    inputSchema: checked === undefined ? schema : checkedOnly(checked),
    outputSchema: undefined,
    execute: isFunction(execute) ? (input, ctx) => run(tool, execute, checked, input, ctx) : undefined,
    needsApproval: approvalOf(tool, (ctx) => ({ requestContext: requestValues(ctx) })),
    toModelOutput: isFunction(toModelOutput)
      ? async ({ output, toolCallId }) =>
          modelOutputOf(await toModelOutput.call(tool, output), { toolName: name, callId: toolCallId })
      : undefined,
    suspendSchema: outputSchemaOf(tool.suspendSchema),
    resumeSchema: answerSchemaOf(tool.resumeSchema),
    requestContextSchema: outputSchemaOf(tool.requestContextSchema),
    hooks: foreignHooks(tool),
    metadata: withTitle(metadata, tool.title),
    mcp: tool.mcp,
    extra: modelExtra(tool),
  });
}

function answerSchemaOf(given: unknown): AnyStandardSchema | JsonSchema | undefined {
  const schema = outputSchemaOf(given);
  return canValidate(schema) ? checkedOnly(schema) : schema;
}

/** Values pass as they are: defaults and transforms would be made a second time by the tool. */
function checkedOnly(schema: StandardSchemaV1): StandardSchemaV1 {
  const standard = schema["~standard"];
  const asGiven = (value: unknown) => (result: Awaited<ReturnType<typeof standard.validate>>) =>
    result.issues === undefined ? { value } : result;
  return {
    "~standard": {
      ...standard,
      validate: (value) => {
        const result = standard.validate(value);
        return result instanceof Promise ? result.then(asGiven(value)) : asGiven(value)(result);
      },
    },
  };
}

async function run(
  tool: Fields,
  execute: AnyFunction,
  schema: StandardSchemaV1 | undefined,
  input: unknown,
  ctx: ToolContext,
): Promise<unknown> {
  const ready = await readyInput(schema, input, ctx);
  ctx.signal.throwIfAborted();
  const output = await execute.call(tool, ready, mastraContext(ctx));
  if (isRefusal(output)) throw refused(output, ctx);
  return output;
}

/** A tool that is resumed takes its input as it is. */
async function readyInput(schema: StandardSchemaV1 | undefined, input: unknown, ctx: ToolContext): Promise<unknown> {
  if (ctx.resumeData === undefined || ctx.resumeData === null) return input;
  const result = await schema?.["~standard"].validate(input);
  return result !== undefined && result.issues === undefined ? result.value : input;
}

interface Refusal {
  readonly message: string;
}

function isRefusal(output: unknown): output is Refusal {
  if (typeof output !== "object" || output === null) return false;
  const { error, message, validationErrors } = output as Fields;
  return error === true && typeof message === "string" && validationErrors !== undefined;
}

/** The text alone says what did not fit. */
function refused({ message }: Refusal, { toolName, toolCallId }: ToolContext): ToolError {
  const kind = message.startsWith("Tool output") ? "output_validation" : "validation";
  return new ToolError(kind, message, { toolName, callId: toolCallId });
}
