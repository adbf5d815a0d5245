import { answerDoesNotParse } from "../../checkpoint/errors.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import type { ToolContext } from "../../components/tool.js";
import { isFields } from "../../is.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { StandardIssue } from "../../schema/standard-schema.js";
import { checkJson } from "../../schema/validation/check-json.js";
import type { Checked, Checker } from "../../schema/validation/schema-check.js";
import { issueText } from "../../wording.js";
import { labelOfCall, payloadDoesNotFit, resumeDataDoesNotFit } from "../define/errors.js";
import type { Suspension } from "../define/tool-stages.js";

type SuspendingContext = Pick<ToolContext, "interrupt" | "toolName" | "toolCallId"> & Checker;

type ResumedContext = Pick<ToolContext, "toolName" | "toolCallId" | "address"> &
  Checker & { readonly invocation: Invocation };

/** `ctx.suspend`: stops the run with an interrupt. Throws if the payload does not fit its schema. */
export async function suspendCall(
  ctx: SuspendingContext,
  suspension: Suspension | undefined,
  given: unknown,
  options: unknown,
): Promise<never> {
  const { toolName, toolCallId } = ctx;
  const call = { toolName, callId: toolCallId };
  // Mastra's tools pass other options, which say what this package knows already
  if (isFields(options) && options.resumeLabel !== undefined) throw labelOfCall(call);
  const payload = fitting(await suspension?.payload?.check(given, ctx), given, (issues) =>
    payloadDoesNotFit(call, given, issues),
  );
  const info = { kind: "tool_suspended", toolName, toolCallId, payload };
  // also kept as the state of the interrupt, for the resumed call
  return ctx.interrupt(info, { schema: suspension?.answerSchema, state: payload });
}

/** The validated answer to a suspended call. If it does not fit, the question is opened again. */
export async function resumeDataOf(
  data: unknown,
  suspension: Suspension | undefined,
  ctx: ResumedContext,
): Promise<unknown> {
  const { answer, answerSchema } = suspension ?? {};
  const { toolName, toolCallId, address, invocation } = ctx;
  const form = () => answerSchema && toJsonSchema(answerSchema);
  return fitting(answer && (await checkJson(answer, data, form, ctx)), data, (issues) => {
    invocation.reopenInterrupt();
    const cause = answerDoesNotParse("suspend", address, issues.map(issueText));
    return resumeDataDoesNotFit({ toolName, callId: toolCallId }, data, issues, cause);
  });
}

/** The validated value; without a schema, the value itself. */
function fitting(
  checked: Checked | undefined,
  value: unknown,
  refuse: (issues: readonly StandardIssue[]) => Error,
): unknown {
  if (checked === undefined) return value;
  if (checked.issues !== undefined) throw refuse(checked.issues);
  return checked.value;
}
