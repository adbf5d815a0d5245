import type { Tool, ToolContext } from "../../components/tool.js";
import { type Fields, isFields } from "../../is.js";
import type { AnyStandardSchema, JsonSchema, StandardSchemaV1 } from "../../schema/standard-schema.js";
import { canValidate } from "../../schema/validation/schema-check.js";
import { reportedError } from "../define/errors.js";
import { requestValues } from "../define/request-check.js";
import { modelOutputOf } from "./ai-sdk-output.js";
import { inputSchemaOf, outputSchemaOf } from "./ai-sdk-schema.js";
import { approvalOf } from "./approval-of.js";
import { foreignHooks } from "./foreign-hooks.js";
import { type ForeignFunction, isForeignFunction, textOr } from "./foreign-tool.js";
import { modelExtra, withTitle } from "./model-extra.js";
import { nativeTool } from "./native-tool.js";

const mark = Symbol.for("mastra.core.tool.Tool");

export function isMastraTool(tool: object): boolean {
  return mark in tool;
}

/** A tool that Mastra's `createTool` made. It checks its input and its output itself, and returns an error object if they do not fit. */
export function mastraTool(tool: Fields, name: string): Tool<never> {
  const { execute, toModelOutput, description, metadata } = tool;
  const schema = inputSchemaOf(tool.inputSchema);
  const checked = canValidate(schema) ? schema : undefined;
  return nativeTool({
    name,
    description: textOr(description, ""),
    inputSchema: checked === undefined ? schema : checkedOnly(checked),
    outputSchema: undefined,
    execute: isForeignFunction(execute) ? (input, ctx) => run(tool, execute, checked, input, ctx) : undefined,
    requireApproval: approvalOf(tool, (ctx) => ({ requestContext: requestValues(ctx.requestContext) })),
    toModelOutput: isForeignFunction(toModelOutput)
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

/** Values pass unchanged, because the tool applies defaults and transforms itself. */
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
  execute: ForeignFunction,
  schema: StandardSchemaV1 | undefined,
  input: unknown,
  ctx: ToolContext,
): Promise<unknown> {
  const ready = await readyInput(schema, input, ctx);
  ctx.signal.throwIfAborted();
  const output = await execute.call(tool, ready, mastraContext(ctx));
  return isErrorObject(output) ? readError(tool, output, ctx) : output;
}

/** A tool that is resumed takes its input as it is. */
async function readyInput(schema: StandardSchemaV1 | undefined, input: unknown, ctx: ToolContext): Promise<unknown> {
  if (ctx.resumeData === undefined || ctx.resumeData === null) return input;
  const result = await schema?.["~standard"].validate(input);
  return result !== undefined && result.issues === undefined ? result.value : input;
}

/** Mastra's validation error, which it returns in place of an output. */
interface ErrorObject {
  readonly message: string;
  readonly validationErrors?: unknown;
}

function isErrorObject(output: unknown): output is ErrorObject {
  if (!isFields(output)) return false;
  return output.error === true && typeof output.message === "string";
}

/** The model reads the message of the error. An output that did not fit is used if the tool's `outputValidation` allows it. */
function readError(tool: Fields, error: ErrorObject, { toolName, toolCallId, progress }: ToolContext): unknown {
  const { message, validationErrors } = error;
  const isOutput = validationErrors !== undefined && message.startsWith("Tool output");
  if (isOutput && (tool.outputValidation === "warn" || tool.outputValidation === "off")) {
    if (tool.outputValidation === "warn") progress({ kind: "output_validation", message });
    return refusedOutput(message);
  }
  const kind = isOutput ? "output_validation" : validationErrors === undefined ? "execution" : "validation";
  throw reportedError(kind, message, { toolName, callId: toolCallId });
}

/** Of an output that did not fit, Mastra keeps only what its message quotes. */
function refusedOutput(message: string): unknown {
  const [, quoted = message] = /\n\nReturned output: ([\s\S]*)$/.exec(message) ?? [];
  try {
    return JSON.parse(quoted);
  } catch {
    return quoted;
  }
}

/**
 * The context that the `execute` of a Mastra tool gets. If it has a call id and messages, Mastra takes the caller to be a model, and
 * moves these fields under `agent`.
 */
function mastraContext(ctx: ToolContext): object {
  const { toolCallId, messages, abortSignal, suspend, resumeData, resume } = ctx;
  const suspendPayload = resume.wasInterrupted ? resume.state : undefined;
  const call = { toolCallId, messages, abortSignal, suspend, resumeData, suspendPayload };
  const requestContext = requestContextOf(ctx);
  return { ...call, requestContext, writer: writerOf(ctx), observe: observeOf(ctx), tracingContext: {} };
}

/** Tools write to it directly, or pipe a stream into it. */
function writerOf({ progress }: ToolContext): WritableStream {
  const write = async (chunk: unknown): Promise<void> => progress(chunk);
  return Object.assign(new WritableStream({ write }), { write, custom: write });
}

/** Handlers make the spans; they receive logs as progress. */
function observeOf({ progress }: ToolContext): object {
  return {
    span: async (_name: string, work: () => unknown) => work(),
    log: (level: string, message: string, data?: unknown) => progress({ type: "log", level, message, data }),
  };
}

/** A view of the request context in the form of Mastra's class. Changes are visible to the whole run. */
function requestContextOf(ctx: ToolContext): object {
  const { requestContext: values } = ctx;
  const get = (name: string): unknown => values.get(name);
  const set = (name: string, value: unknown): void => void values.set(name, value);
  const has = (name: string): boolean => values.has(name);
  const remove = (name: string): boolean => values.delete(name);
  const clear = (): void => [...values.keys()].forEach(remove);
  const forEach = (callback: (value: unknown, name: string) => void): void => {
    for (const [name, value] of values.entries()) callback(value, name);
  };
  return {
    ...{ get, set, has, delete: remove, clear, forEach },
    // Mastra's class has these names for access without the types of a schema
    ...{ getRaw: get, setRaw: set, hasRaw: has, deleteRaw: remove },
    keys: () => values.keys(),
    values: () => values.values(),
    entries: () => values.entries(),
    size: () => values.size,
    get all() {
      return requestValues(ctx.requestContext);
    },
    toJSON: () => requestValues(ctx.requestContext),
    [Symbol.iterator]: () => values.entries(),
  };
}
