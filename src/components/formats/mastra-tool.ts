import { isStandardSchema, type StandardSchemaV1 } from "../../schema/standard-schema.js";
import { ToolError } from "../errors.js";
import type { Tool, ToolContext } from "../tool.js";
import { modelOutputOf } from "./ai-sdk-output.js";
import { inputSchemaOf } from "./ai-sdk-schema.js";
import { approvalOf } from "./approval-of.js";
import { type AnyFunction, type Fields, isFunction, textOr } from "./foreign-tool.js";
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
  return nativeTool({
    name,
    description: textOr(description, ""),
    inputSchema: isStandardSchema(schema) && isValidator(schema) ? checkedOnly(schema) : schema,
    outputSchema: undefined,
    execute: isFunction(execute) ? (input, ctx) => run(tool, execute, input, ctx) : undefined,
    needsApproval: approvalOf(tool, (ctx) => ({ requestContext: requestValues(ctx) })),
    toModelOutput: isFunction(toModelOutput)
      ? async ({ output }) => modelOutputOf(await toModelOutput.call(tool, output))
      : undefined,
    metadata,
  });
}

function isValidator(schema: object): schema is StandardSchemaV1 {
  const standard: unknown = Reflect.get(schema, "~standard");
  return typeof standard === "object" && standard !== null && "validate" in standard;
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

async function run(tool: Fields, execute: AnyFunction, input: unknown, ctx: ToolContext): Promise<unknown> {
  const output = await execute.call(tool, input, contextOf(ctx));
  if (isRefusal(output)) throw refused(output, ctx);
  return output;
}

/** With a call id and messages, Mastra knows that a model calls, and moves what belongs there under `agent`. */
function contextOf(ctx: ToolContext): object {
  const { toolCallId, messages, abortSignal } = ctx;
  const write = async (chunk: unknown): Promise<void> => ctx.progress(chunk);
  const context = { toolCallId, messages, abortSignal, requestContext: requestContextOf(ctx) };
  const suspension = "suspend" in ctx ? { suspend: ctx.suspend, resumeData: Reflect.get(ctx, "resumeData") } : {};
  return { ...context, ...suspension, writer: { write, custom: write } };
}

/** Mastra reads all values at once too. Changes reach the request. */
function requestContextOf(ctx: ToolContext): object {
  const { requestContext: values } = ctx;
  return {
    get: (name: string) => values.get(name),
    set: (name: string, value: unknown) => void values.set(name, value),
    has: (name: string) => values.has(name),
    delete: (name: string) => values.delete(name),
    keys: () => values.keys(),
    values: () => values.values(),
    entries: () => values.entries(),
    size: () => values.size,
    get all() {
      return requestValues(ctx);
    },
    toJSON: () => requestValues(ctx),
    [Symbol.iterator]: () => values.entries(),
  };
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
