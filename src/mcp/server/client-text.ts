import { KumikoError, messageOf } from "../../errors.js";
import type { StandardIssue } from "../../schema/standard-schema.js";
import { ToolError } from "../../tools/define/errors.js";
import { issueText } from "../../wording.js";

/** The error without what is around it: the nodes of a graph mean nothing to a client. */
export function ownError(error: unknown): unknown {
  let own = error;
  while (KumikoError.is(own) && own.code === "NODE_FAILED" && own.cause !== undefined) own = own.cause;
  return own;
}

/** The text for a client about a failed call. The client knows the call by an id of its own, and names the tool itself. */
export function toolErrorText(error: ToolError): string {
  const { kind, callId, toolName, cause, message } = error;
  const thrown = kind === "execution" && cause !== undefined ? messageOf(ownError(cause)) : "";
  const text = thrown === "" ? message : thrown;
  return callId === "" ? text : text.replaceAll(` (call "${callId}")`, "").replaceAll(callId, toolName);
}

/** Why an answer was rejected by the tool or prompt that asked for it; `undefined` if the error is about something else. */
export function rejectedAnswer(error: unknown): string | undefined {
  let tool: ToolError | undefined;
  for (let current = error; current instanceof Error; current = current.cause) {
    if (ToolError.is(current)) tool ??= current;
    if (KumikoError.is(current) && current.code === "ANSWER_MISMATCH") {
      return tool?.issues === undefined ? reasonIn(current.message) : issuesText(tool.issues);
    }
  }
  return undefined;
}

export function issuesText(issues: readonly StandardIssue[]): string {
  return issues.map(issueText).join("; ");
}

/** The part of the message that is about the answer: the rest names addresses, and says what to do in this process. */
function reasonIn(message: string): string {
  const [, reason = "it does not fit the question"] =
    /does not fit[^:]*: (.*)\. (?:The question|Nothing ran)/s.exec(message) ?? [];
  return reason;
}
