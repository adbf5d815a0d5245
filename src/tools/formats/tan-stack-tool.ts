import type { Tool, ToolContext } from "../../components/tool.js";
import { type Fields, isFields } from "../../is.js";
import { invalidTool } from "../../schema/errors.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import { schemaProblem } from "../../schema/json-schema/schema-problem.js";
import { isStandardSchema } from "../../schema/standard-schema.js";
import { schemaCheck } from "../../schema/validation/schema-check.js";
import type { PayloadRule, PayloadSchema } from "../define/approval.js";
import { requestValues } from "../define/request-check.js";
import { inputSchemaOf, outputSchemaOf } from "./ai-sdk-schema.js";
import { approvalOf } from "./approval-of.js";
import { isForeignFunction, textOr } from "./foreign-tool.js";
import { modelExtra } from "./model-extra.js";
import { nativeTool } from "./native-tool.js";

export function isTanStackTool(tool: Fields): boolean {
  return tool.__toolSide === "server" || tool.__toolSide === "client" || tool.__toolSide === "definition";
}

/** A tool of TanStack AI. It does not matter which side it is for: if it has a function, it is executed. */
export function tanStackTool(tool: Fields, name: string): Tool<never> {
  const { execute, description, metadata } = tool;
  return nativeTool({
    name,
    description: textOr(description, ""),
    inputSchema: inputSchemaOf(tool.inputSchema),
    outputSchema: outputSchemaOf(tool.outputSchema),
    execute: isForeignFunction(execute) ? (input, ctx) => execute.call(tool, input, contextOf(ctx)) : undefined,
    requireApproval: approvalOf(tool, contextOf),
    approvalPayload: payloadsOf(name, tool.approvalSchema),
    metadata,
    extra: modelExtra(tool),
  });
}

/** One schema for both decisions, or one for each. */
function payloadsOf(name: string, given: unknown): PayloadRule | undefined {
  if (given === undefined) return undefined;
  if (!isFields(given) || isStandardSchema(given))
    return { approve: payloadOf(name, given), reject: payloadOf(name, given) };
  const isByDecision = Object.keys(given).length > 0 && Object.keys(given).every((key) => decisions.includes(key));
  if (!isByDecision) return { approve: payloadOf(name, given), reject: payloadOf(name, given) };
  return { approve: payloadOf(name, given.approve), reject: payloadOf(name, given.reject) };
}

const decisions: readonly string[] = ["approve", "reject"];

function payloadOf(name: string, given: unknown): PayloadSchema | undefined {
  const schema = outputSchemaOf(given);
  if (schema === undefined) return undefined;
  const problem = schemaProblem(schema);
  if (problem !== undefined) throw invalidTool(`The approvalSchema of tool "${name}" ${problem}`);
  const jsonSchema = () => toJsonSchema(schema);
  return { check: schemaCheck(schema, jsonSchema, "approvalSchema"), jsonSchema };
}

function contextOf(ctx: ToolContext): object {
  const emitCustomEvent = (name: string, value: unknown): void => ctx.progress({ name, value });
  const { toolCallId, abortSignal } = ctx;
  return { toolCallId, abortSignal, context: requestValues(ctx.requestContext), emitCustomEvent };
}
