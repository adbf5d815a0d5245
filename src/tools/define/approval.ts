import type { NeedsApproval, ToolContext } from "../../components/tool.js";
import { messageOf } from "../../errors.js";
import type { JsonSchema, StandardJSONSchemaV1, StandardSchemaV1 } from "../../schema/standard-schema.js";
import { callDenied, editRefused } from "./errors.js";
import type { Approved, StagedCall } from "./tool-stages.js";

/** From both names of it: what either of them asks for. */
export function eitherApproval<Input>(
  first: NeedsApproval<Input> | undefined,
  second: NeedsApproval<Input> | undefined,
): NeedsApproval<Input> | undefined {
  if (first === true || second === true) return true;
  if (typeof first !== "function" || typeof second !== "function") return first || second;
  return async (input, ctx) => Boolean(await first(input, ctx)) || Boolean(await second(input, ctx));
}

/** What a person answers. */
interface ApprovalAnswer {
  readonly approved: boolean;
  readonly arguments?: string | Readonly<Record<string, unknown>>;
  readonly reason?: string;
}

export interface ApprovalRule {
  readonly needed: NeedsApproval;
  /** The JSON Schema of the arguments, for those who change them. */
  readonly parameters: () => JsonSchema;
  readonly readInput: (text: string, call: StagedCall) => unknown;
}

/** The key of the question whether a call may run. */
export const approvalKey = "tool_approval";

/** Asks once per call; the answer holds for every repetition of it. */
export async function approve(
  input: unknown,
  { needed, parameters, readInput }: ApprovalRule,
  ctx: ToolContext,
  call: StagedCall,
): Promise<Approved> {
  // once it was asked, the answer counts, whatever the code needs now
  if (typeof needed === "function" && !call.hasAsked(approvalKey)) {
    const isNeeded = await ctx.once(approvalKey, async () => Boolean(await needed(input as never, ctx as never)));
    if (!isNeeded) return { input };
  }
  const { toolName, toolCallId } = ctx;
  let misfit: { readonly error: unknown } | undefined;
  const read = async ({ approved, reason, arguments: edited }: ApprovalAnswer): Promise<Verdict> => {
    if (!approved) return { denied: true, reason };
    if (edited === undefined) return { denied: false, approved: { input } };
    const text = typeof edited === "string" ? edited : JSON.stringify(edited);
    try {
      return { denied: false, approved: { input: await readInput(text, call), text } };
    } catch (error) {
      misfit = { error };
      throw error;
    }
  };
  const schema = verdictSchema(read, () => answerSchema(parameters()));
  let verdict: Verdict;
  try {
    verdict = await ctx.ask(approvalKey, { kind: "tool_approval", toolName, toolCallId, input }, schema);
  } catch (thrown) {
    throw misfit === undefined ? thrown : editRefused(call, misfit.error, thrown);
  }
  if (verdict.denied) throw callDenied(call, verdict.reason);
  return verdict.approved;
}

/** What an answer comes to. */
type Verdict =
  | { readonly denied: true; readonly reason: string | undefined }
  | { readonly denied: false; readonly approved: Approved };

/** Edited arguments belong to the answer: one that brings arguments which do not fit is none. */
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

/** The dialect is that of the arguments. */
function answerSchema({ $schema, ...parameters }: JsonSchema): JsonSchema {
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: {
      approved: { type: "boolean" },
      arguments: { anyOf: [insideAnother(parameters), { type: "string" }] },
      reason: { type: "string" },
    },
    required: ["approved"],
    additionalProperties: false,
  };
}

/** References such as `#/$defs/place` lead into the whole document, unless the schema they stand in has an `$id`. */
function insideAnother(schema: JsonSchema): JsonSchema {
  const refers = /"\$(r|dynamicR|recursiveR)ef":/.test(JSON.stringify(schema));
  return refers ? { $id: "urn:kumiko:arguments", ...schema } : schema;
}
