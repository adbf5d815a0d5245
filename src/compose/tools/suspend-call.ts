import { payloadDoesNotFit, resumeDataDoesNotFit } from "../../components/errors.js";
import type { SchemaCheck } from "../../components/schema-check.js";
import type { ToolContext } from "../../components/tool.js";
import type { Suspension } from "../../components/tool-stages.js";
import type { StandardIssue } from "../../schema/standard-schema.js";
import type { Runtime } from "../runtime.js";

type SuspendingContext = Pick<ToolContext, "interrupt" | "toolName" | "toolCallId"> & { readonly runtime: Runtime };

/** `ctx.suspend`: the run stops here, unless what it is suspended with does not fit. */
export async function suspendCall(
  ctx: SuspendingContext,
  suspension: Suspension | undefined,
  given: unknown,
): Promise<never> {
  const { toolName, toolCallId } = ctx;
  const call = { toolName, callId: toolCallId };
  const refuse = (issues: readonly StandardIssue[]) => payloadDoesNotFit(call, given, issues);
  const payload = await checked(given, suspension?.payload, ctx.runtime, refuse);
  const info = { kind: "tool_suspended", toolName, toolCallId, payload };
  return ctx.interrupt(info, { schema: suspension?.answerSchema });
}

/** What a suspended call was resumed with, as its schema has it. */
export function resumeDataOf(
  data: unknown,
  suspension: Suspension | undefined,
  { toolName, callId, runtime }: { readonly toolName: string; readonly callId: string; readonly runtime: Runtime },
): Promise<unknown> {
  return checked(data, suspension?.answer, runtime, (issues) =>
    resumeDataDoesNotFit({ toolName, callId }, data, issues),
  );
}

async function checked(
  value: unknown,
  schema: SchemaCheck | undefined,
  { schemaValidator }: Runtime,
  refuse: (issues: readonly StandardIssue[]) => Error,
): Promise<unknown> {
  if (schema === undefined) return value;
  const result = await schema.check(value, { validator: schemaValidator });
  if (result.issues !== undefined) throw refuse(result.issues);
  return result.value;
}
