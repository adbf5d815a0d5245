import type { ApprovalRule, ToolContext } from "../../components/tool.js";
import { messageOf } from "../../errors.js";
import { shorten } from "../../schema/shorten.js";
import type { JsonSchema, StandardJSONSchemaV1, StandardSchemaV1 } from "../../schema/standard-schema.js";
import type { SchemaCheck } from "../../schema/validation/schema-check.js";
import { callDenied, editRefused, payloadRefused } from "./errors.js";
import type { Approved, StagedCall } from "./tool-stages.js";

/** The answer of a reviewer. */
interface ApprovalAnswer {
  readonly approved: boolean;
  readonly arguments?: string | Readonly<Record<string, unknown>>;
  readonly reason?: string;
  readonly payload?: unknown;
  readonly always?: boolean;
}

/** Schemas for the payload of an answer, for tools that want one. */
export interface PayloadRule {
  readonly approve: PayloadSchema | undefined;
  readonly reject: PayloadSchema | undefined;
}

export interface PayloadSchema {
  readonly check: SchemaCheck;
  readonly jsonSchema: () => JsonSchema;
}

export interface CallApproval {
  readonly needed: ApprovalRule;
  /** The JSON Schema of the arguments, which a reviewer may edit. */
  readonly parameters: () => JsonSchema;
  readonly readInput: (text: string, call: StagedCall) => unknown;
  readonly payload?: PayloadRule | undefined;
}

/** Whether a rule asks about each call, or decides for each. */
export function approvalIn(needed: ApprovalRule | undefined): "always" | "sometimes" | undefined {
  return typeof needed === "function" ? "sometimes" : needed === true ? "always" : undefined;
}

/** The key of the question whether a call may run. */
export const approvalKey = "tool_approval";

/** Asks for approval once per call; the answer also holds when the call is repeated. */
export async function approve(
  input: unknown,
  { needed, parameters, readInput, payload: payloads }: CallApproval,
  ctx: ToolContext,
  call: StagedCall,
): Promise<Approved> {
  if (call.approval?.isGiven === true) return { input };
  // once the question was asked its answer counts, even if the function would decide otherwise now
  if (typeof needed === "function" && !call.hasAsked(approvalKey)) {
    const isNeeded = await ctx.once(approvalKey, async () => Boolean(await needed(input as never, ctx as never)));
    if (!isNeeded) return { input };
  }
  const { toolName, toolCallId } = ctx;
  let mismatch: { readonly error: unknown } | undefined;
  const read = async (answer: ApprovalAnswer): Promise<Verdict> => {
    const { approved, arguments: edited } = answer;
    const checked = await (approved ? payloads?.approve : payloads?.reject)?.check.check(answer.payload, call);
    if (checked?.issues !== undefined) {
      mismatch = { error: payloadRefused(call, answer.payload, checked.issues) };
      throw mismatch.error;
    }
    if (!approved) return { denied: true, reason: answer.reason ?? (checked && shorten(checked.value)) };
    const isForAlways = answer.always === true;
    if (edited === undefined) return { denied: false, isForAlways, approved: { input } };
    const text = typeof edited === "string" ? edited : JSON.stringify(edited);
    try {
      return { denied: false, isForAlways, approved: { input: await readInput(text, call), text } };
    } catch (error) {
      mismatch = { error };
      throw error;
    }
  };
  const schema = verdictSchema(read, () => answerSchema(parameters(), payloads));
  let verdict: Verdict;
  try {
    verdict = await ctx.ask(approvalKey, { kind: "tool_approval", toolName, toolCallId, input }, schema);
  } catch (thrown) {
    throw mismatch === undefined ? thrown : editRefused(call, mismatch.error, thrown);
  }
  if (verdict.denied) throw callDenied(call, verdict.reason);
  if (verdict.isForAlways) call.approval?.onAlways();
  return verdict.approved;
}

/** A checked answer. */
type Verdict =
  | { readonly denied: true; readonly reason: string | undefined }
  | { readonly denied: false; readonly isForAlways: boolean; readonly approved: Approved };

/** A schema that also checks edited arguments: an answer with arguments that do not fit is rejected as a whole. */
function verdictSchema(
  read: (answer: ApprovalAnswer) => Promise<Verdict>,
  jsonSchema: () => JsonSchema,
): StandardSchemaV1<ApprovalAnswer, Verdict> & StandardJSONSchemaV1<ApprovalAnswer, Verdict> {
  return {
    "~standard": {
      version: 1,
      vendor: "kumiko",
      validate: (answer) =>
        read(answer as ApprovalAnswer).then(
          (value) => ({ value }),
          (error) => ({ issues: [{ message: messageOf(error), path: ["arguments"] }] }),
        ),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

/** The JSON Schema of an answer, in the dialect of the arguments' schema. */
function answerSchema({ $schema, ...parameters }: JsonSchema, payloads: PayloadRule | undefined): JsonSchema {
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: {
      approved: { type: "boolean" },
      arguments: { anyOf: [insideAnother(parameters), { type: "string" }] },
      reason: { type: "string" },
      always: { type: "boolean" },
      ...(payloads && { payload: true }),
    },
    required: ["approved"],
    additionalProperties: false,
    ...(payloads && { anyOf: [decision(true, payloads.approve), decision(false, payloads.reject)] }),
  };
}

function decision(approved: boolean, payload: PayloadSchema | undefined): JsonSchema {
  if (payload === undefined) return { properties: { approved: { const: approved }, payload: false } };
  const { $schema, ...schema } = payload.jsonSchema();
  const inside = insideAnother(schema, approved ? "urn:kumiko:approve" : "urn:kumiko:reject");
  return { properties: { approved: { const: approved }, payload: inside }, required: ["payload"] };
}

/** References such as `#/$defs/city` resolve against the whole document unless the enclosing schema has an `$id`. */
function insideAnother(schema: JsonSchema, $id = "urn:kumiko:arguments"): JsonSchema {
  const refers = /"\$(r|dynamicR|recursiveR)ef":/.test(JSON.stringify(schema));
  return refers ? { $id, ...schema } : schema;
}
