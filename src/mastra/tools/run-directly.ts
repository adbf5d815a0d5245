import { RequestContext } from "../../components/request-context.js";
import { isFields } from "../../is.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import { jsonSchemaValidator } from "../../schema/json-schema-validator.js";
import type { StandardIssue } from "../../schema/standard-schema.js";
import { schemaCheck } from "../../schema/validation/schema-check.js";
import { issueText } from "../../wording.js";
import type { AnyMastra } from "../any-mastra.js";
import { invalidMastraOption } from "../errors.js";
import type { MastraToolContext } from "./tool-context.js";

/** The result of a direct call with invalid input or output. */
export interface ToolValidationError {
  readonly error: true;
  readonly message: string;
  readonly validationErrors: readonly StandardIssue[];
}

interface DirectTool {
  readonly id: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

/**
 * Runs a tool without a tools node. Validates input and output, and returns validation errors as the result. The older form of
 * the input, with everything in one object, is recognized by its `context`.
 */
export async function runDirectly(
  { id, inputSchema, outputSchema }: DirectTool,
  run: (input: unknown, ctx: MastraToolContext) => unknown,
  given: unknown,
  ctx: object | undefined,
  mastra: () => AnyMastra,
): Promise<unknown> {
  const call = { input: given, ctx: { ...ctx } };
  let checked = await check(inputSchema, given, "inputSchema");
  if (isFields(given) && "context" in given && (checked.issues !== undefined || inputSchema === undefined)) {
    const { context, ...others } = given;
    const legacy = await check(inputSchema, context, "inputSchema");
    if (legacy.issues === undefined) {
      checked = legacy;
      call.ctx = { ...others, ...ctx };
    }
  }
  if (checked.issues !== undefined) return validationError(`Tool input validation failed for ${id}`, checked.issues);
  const output = await run(checked.value, directContext(id, call.ctx, mastra));
  const result = await check(outputSchema, output, "outputSchema");
  return result.issues === undefined
    ? output
    : validationError(`Tool output validation failed for ${id}`, result.issues);
}

async function check(schema: unknown, value: unknown, name: string) {
  if (typeof schema !== "object" && typeof schema !== "function") return { value, issues: undefined };
  if (schema === null) return { value, issues: undefined };
  return schemaCheck(schema, () => toJsonSchema(schema as never), name).check(value, {
    validator: jsonSchemaValidator,
  });
}

function validationError(what: string, issues: readonly StandardIssue[]): ToolValidationError {
  return { error: true, message: `${what}. ${issues.map(issueText).join("; ")}`, validationErrors: issues };
}

/** The context of a direct call: the given fields, and defaults for the rest. */
function directContext(id: string, given: Record<string, unknown>, mastra: () => AnyMastra): MastraToolContext {
  const requestContext = given.requestContext ?? given.runtimeContext ?? new RequestContext();
  const signal = given.abortSignal ?? given.signal ?? new AbortController().signal;
  const write = async (): Promise<void> => undefined;
  const suspend = async (): Promise<never> => {
    throw invalidMastraOption(
      `Tool "${id}" called suspend() in a direct call, which cannot be resumed. Run the tool in an agent or a workflow.`,
    );
  };
  return {
    ...{ toolName: id, toolCallId: "", messages: [], signal, abortSignal: signal, resumeData: undefined, suspend },
    ...{ mastra: mastra(), writer: { write, custom: write }, tracingContext: {}, progress: () => undefined },
    ...given,
    requestContext,
    runtimeContext: requestContext,
  } as never;
}
