import type { Tool, ToolContext } from "../../components/tool.js";
import type { Fields } from "../../is.js";
import { isStandardSchema, type StandardSchemaV1 } from "../../schema/standard-schema.js";
import { canValidate } from "../../schema/validation/schema-check.js";
import { isToolStream, producerOf } from "../define/producer.js";
import { requestValues } from "../define/request-check.js";
import { modelOutputOf } from "./ai-sdk-output.js";
import { hasAiSdkSchema, inputSchemaOf, outputSchemaOf } from "./ai-sdk-schema.js";
import { approvalOf } from "./approval-of.js";
import { descriptionFailed, providerTool } from "./errors.js";
import { foreignHooks } from "./foreign-hooks.js";
import { type ForeignFunction, isForeignFunction, textOr } from "./foreign-tool.js";
import { modelExtra, withTitle } from "./model-extra.js";
import { nativeTool } from "./native-tool.js";

/** Its `tool()` returns its argument unmarked, so its tools are recognized by their schemas, or because they have no name. */
export function isAiSdkTool(tool: Fields): boolean {
  if (hasAiSdkSchema(tool) || isProviderTool(tool) || tool.type === "dynamic" || tool.type === "function") return true;
  if (tool.name !== undefined || tool.id !== undefined) return false;
  // the AI SDK accepts no plain JSON Schema: an object with one has the options of createTool
  const schema = tool.inputSchema ?? tool.parameters;
  return schema === undefined || schema === null ? "inputSchema" in tool : isStandardSchema(schema);
}

const isProviderTool = ({ type }: Fields): boolean => type === "provider" || type === "provider-defined";

/** A `tool()` or `dynamicTool()` of the AI SDK. */
export function aiSdkTool(tool: Fields, name: string): Tool<never> {
  const { execute, toModelOutput, description, metadata } = tool;
  const contextSchema = outputSchemaOf(tool.contextSchema);
  const contextFor = canValidate(contextSchema) ? contextBy(contextSchema) : contextOf;
  if (isProviderTool(tool) && !isForeignFunction(execute)) throw providerTool(name);
  return nativeTool({
    name,
    description: isForeignFunction(description) ? descriptionOf(name, description) : textOr(description, ""),
    inputSchema: inputSchemaOf(tool.inputSchema ?? tool.parameters),
    outputSchema: outputSchemaOf(tool.outputSchema),
    execute: isForeignFunction(execute) ? execution(tool, execute, contextFor) : undefined,
    requireApproval: approvalOf(tool, contextFor),
    toModelOutput: isForeignFunction(toModelOutput)
      ? async (result) => {
          const call = { toolName: name, callId: result.toolCallId };
          return modelOutputOf(await toModelOutput.call(tool, result), call);
        }
      : undefined,
    suspendSchema: outputSchemaOf(tool.suspendSchema),
    resumeSchema: outputSchemaOf(tool.resumeSchema),
    requestContextSchema: contextSchema ?? outputSchemaOf(tool.requestContextSchema),
    hooks: foreignHooks(tool, { context: {}, experimental_context: {} }),
    timeoutMs: tool.timeoutMs,
    outputValidation: tool.outputValidation,
    metadata: withTitle(metadata, tool.title),
    mcp: tool.mcp,
    extra: modelExtra(tool),
    provider: isProviderTool(tool) ? { id: String(tool.id), args: (tool.args ?? {}) as Fields } : undefined,
  });
}

/** The description may depend on the context, but a node describes its tools once, before it has a context. */
function descriptionOf(name: string, describe: ForeignFunction): string {
  try {
    return textOr(describe({ context: {} }), "");
  } catch (cause) {
    throw descriptionFailed(name, cause);
  }
}

/** The fields that the AI SDK documents, and those that a plain tool without a name may need. */
function contextOf(ctx: ToolContext): object {
  return withContext(ctx, requestValues(ctx.requestContext));
}

function withContext(ctx: ToolContext, context: unknown): object {
  return plainContext(ctx, { context, experimental_context: context });
}

/** With a `contextSchema`, the context is the output of that schema. (A context that does not fit is refused before.) */
function contextBy(schema: StandardSchemaV1): (ctx: ToolContext) => Promise<object> {
  return async (ctx) => {
    const values = requestValues(ctx.requestContext);
    const result = await schema["~standard"].validate(values);
    return withContext(ctx, result.issues === undefined ? result.value : values);
  };
}

type ContextFor = (ctx: ToolContext) => object | Promise<object>;

function execution(tool: Fields, execute: ForeignFunction, contextFor: ContextFor) {
  return async (input: unknown, ctx: ToolContext): Promise<unknown> => {
    const context = contextFor(ctx);
    const ready = context instanceof Promise ? await context : context;
    if (context instanceof Promise) ctx.signal.throwIfAborted();
    const result = await execute.call(tool, input, ready);
    return isToolStream(result) ? lastOf(result, ctx) : result;
  };
}

/** Yielded values are progress; the last one is the result. A stopped call abandons the generator at once. */
async function lastOf(stream: object, { signal, progress }: ToolContext): Promise<unknown> {
  const producer = producerOf(stream);
  const stop = (): void => producer.cancel(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    let last: { readonly value: unknown } | undefined;
    for (;;) {
      const { done, value } = await producer.next();
      signal.throwIfAborted();
      if (done === true) return last === undefined ? value : last.value;
      last = { value };
      progress(value);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const fields: readonly string[] = [
  ...["toolCallId", "toolName", "messages", "signal", "abortSignal", "rawArguments", "requestContext", "state"],
  ...["address", "runInfo", "options", "taskKey", "progress", "processState", "ask", "interrupt", "once", "resume"],
  ...["suspend", "resumeData", "with"],
];

/**
 * The context as a plain object, for tools of other packages, which copy its own properties. A property is read only when the tool
 * reads it.
 */
function plainContext(ctx: ToolContext, more: Readonly<Record<string, unknown>>): object {
  const plain = { ...more };
  for (const name of fields) {
    if (!Object.hasOwn(more, name) && name in ctx) {
      Object.defineProperty(plain, name, { enumerable: true, get: () => Reflect.get(ctx, name) });
    }
  }
  return plain;
}
