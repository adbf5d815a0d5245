import { KumikoError, messageOf } from "../../errors.js";
import { invalidTool } from "../../schema/errors.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { ToolErrorKind } from "../../schema/message/content-block.js";
import { shorten, shortenText } from "../../schema/shorten.js";
import type { StandardIssue } from "../../schema/standard-schema.js";
import { capital, kindOf, list } from "../../wording.js";

const brand = Symbol.for("kumiko/ToolError");

/** Which call an error belongs to. */
export interface ToolCallName {
  /** The name of the tool. */
  readonly toolName: string;
  /** The id of the call. */
  readonly callId: string;
}

/** Options of the constructor of {@link ToolError}. */
export interface ToolErrorDetails extends ToolCallName {
  /** The error that the tool, a handler or a schema threw. */
  readonly cause?: unknown;
  /** The issues of the schema, for `validation` and `output_validation`. */
  readonly issues?: readonly StandardIssue[] | undefined;
  /** The output of the tool, for `output_validation`. */
  readonly output?: unknown;
}

/**
 * A failed tool call, with the results of all calls of the same message. Its code is `TOOL_FAILED`; `kind` tells failures
 * apart. A graph rejects with the same error; its `nodePath` then leads to the tools node.
 *
 * @example
 * try { await tools.invoke(message); }
 * catch (error) {
 *   if (ToolError.is(error) && error.kind === "timeout") console.warn(`${error.toolName} is slow`);
 * }
 */
export class ToolError extends KumikoError {
  override readonly name: string = "ToolError";
  readonly [brand] = true;
  /** Where the call failed: `parse`, `validation`, `execution`, `timeout` …; also the `errorKind` of its result. */
  readonly kind: ToolErrorKind;
  /** The tool's own name, also when the model used an alias; for an unknown tool, the name as called. */
  readonly toolName: string;
  readonly callId: string;
  /** The first 100 issues of the schema, for `validation` and `output_validation`. */
  readonly issues: readonly StandardIssue[] | undefined;
  /** The output of the tool, for `output_validation`. */
  readonly output: unknown;
  /**
   * On an error with which a tools node rejects, the results of all calls: one message per call, in call order. A call without
   * a result of its own is marked `isError`, and its `errorKind` says why.
   */
  readonly results: readonly AgenticMessage[] = [];

  constructor(kind: ToolErrorKind, message: string, details: ToolErrorDetails) {
    super("TOOL_FAILED", message, "cause" in details ? { cause: details.cause } : {});
    this.kind = kind;
    this.toolName = details.toolName;
    this.callId = details.callId;
    this.issues = details.issues?.slice(0, mostIssues);
    this.output = details.output;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static override is(value: unknown): value is ToolError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

export const invalidOutputValidation = (where: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `outputValidation of ${where} must be "error", "warn" or "off", but is ${shorten(given)}.`,
  );

/** Picks the fields of a call by name, because it may be an instance of a class. */
function details(
  { toolName, callId }: ToolCallName,
  more: Omit<ToolErrorDetails, keyof ToolCallName>,
): ToolErrorDetails {
  return { toolName, callId, ...more };
}

/** `tool "search" (call "1")`; a tool that is used alone has no call. */
export const named = ({ toolName, callId }: ToolCallName): string =>
  callId === "" ? `tool "${toolName}"` : `tool "${toolName}" (call "${callId}")`;

// before a tool runs

export const argumentsNotJson = (call: ToolCallName, text: string, position: number, cause: unknown): ToolError =>
  new ToolError(
    "parse",
    `The arguments of ${named(call)} are not valid JSON from position ${position} on: ${shortenText(text, { around: position })}. ` +
      `Send one JSON object. ${messageOf(cause)}`,
    details(call, { cause }),
  );

export const argumentsNotObject = (call: ToolCallName, value: unknown): ToolError =>
  new ToolError(
    "validation",
    `The arguments of ${named(call)} must be a JSON object, but are ${kindOf(value)}: ${shorten(value)}.`,
    details(call, { issues: [{ message: `expected an object, received ${kindOf(value)}` }] }),
  );

export const argumentsDoNotFit = (call: ToolCallName, value: unknown, issues: readonly StandardIssue[]): ToolError =>
  new ToolError(
    "validation",
    `The arguments of ${named(call)} do not fit its inputSchema:${issueLines(issues, value)}`,
    details(call, { issues }),
  );

export const inputSchemaFailed = (call: ToolCallName, cause: unknown): ToolError =>
  new ToolError(
    "validation",
    `The inputSchema of ${named(call)} could not check the arguments: ${messageOf(cause)}`,
    details(call, { cause }),
  );

export const callDenied = (call: ToolCallName, reason: string | undefined): ToolError =>
  new ToolError(
    "denied",
    `${capital(named(call))} did not run: it was declined${reason === undefined || reason === "" ? "" : `. Reason: ${reason.replace(/\.$/, "")}`}.`,
    details(call, {}),
  );

/** Arguments edited in an approval do not fit. `cause` is the error that reopened the question. */
export const editRefused = (call: ToolCallName, error: unknown, cause: unknown): ToolError => {
  const { kind, issues } = ToolError.is(error) ? error : { kind: "validation" as const, issues: undefined };
  return new ToolError(
    kind,
    `${messageOf(error)}\nThe question stays open: answer it again.`,
    details(call, { issues, cause }),
  );
};

/** The payload of an answer to an approval does not fit. */
export const payloadRefused = (call: ToolCallName, payload: unknown, issues: readonly StandardIssue[]): ToolError =>
  new ToolError(
    "validation",
    `The payload of the answer about ${named(call)} does not fit its approvalSchema:${issueLines(issues, payload)}`,
    details(call, { issues }),
  );

export const payloadDoesNotFit = (call: ToolCallName, payload: unknown, issues: readonly StandardIssue[]): ToolError =>
  new ToolError(
    "validation",
    `The payload with which ${named(call)} suspends does not fit its suspendSchema:${issueLines(issues, payload)}`,
    details(call, { issues }),
  );

export const labelOfCall = (call: ToolCallName): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `suspend of ${named(call)} has the option resumeLabel, which only steps of a workflow have. Answer the call by the id of its interrupt.`,
  );

export const resumeDataDoesNotFit = (
  call: ToolCallName,
  data: unknown,
  issues: readonly StandardIssue[],
  cause: unknown,
): ToolError =>
  new ToolError(
    "validation",
    `The answer that resumes ${named(call)} does not fit its resumeSchema:${issueLines(issues, data)}\n` +
      "The question stays open: answer it again.",
    details(call, { issues, cause }),
  );

export const requestDoesNotFit = (call: ToolCallName, values: object, issues: readonly StandardIssue[]): ToolError =>
  new ToolError(
    "validation",
    `${capital(named(call))} did not run, because the request context does not fit its requestContextSchema:` +
      issueLines(issues, values),
    details(call, { issues }),
  );

export const requestSchemaFailed = (call: ToolCallName, cause: unknown): ToolError =>
  new ToolError(
    "validation",
    `${capital(named(call))} did not run, because its requestContextSchema could not check the request context: ` +
      messageOf(cause),
    details(call, { cause }),
  );

// after it ran

export const outputDoesNotFit = (call: ToolCallName, output: unknown, issues: readonly StandardIssue[]): ToolError =>
  new ToolError(
    "output_validation",
    `${capital(named(call))} ran, but its output does not fit its outputSchema:${issueLines(issues, output)}\n` +
      `The output was ${shorten(output)}. Do not run it again only because of this.`,
    details(call, { issues, output }),
  );

export const outputSchemaFailed = (call: ToolCallName, output: unknown, cause: unknown): ToolError =>
  new ToolError(
    "output_validation",
    `${capital(named(call))} ran, but its outputSchema could not check its output: ${messageOf(cause)}\n` +
      `The output was ${shorten(output)}.`,
    details(call, { cause, output }),
  );

export const toolThrew = (call: ToolCallName, cause: unknown): ToolError =>
  new ToolError("execution", `${capital(named(call))} failed: ${messageOf(cause)}`, details(call, { cause }));

const reportedBrand = Symbol("reported");

/** An error that a tool reports to the model in its own words, by its result. */
export const reportedError = (kind: ToolErrorKind, text: string, call: ToolCallName): ToolError =>
  Object.assign(new ToolError(kind, text, details(call, {})), { [reportedBrand]: true });

/** Whether an error always becomes a result for the model, whatever `onToolError` says. */
export const isAlwaysResult = (error: ToolError): boolean => error.kind === "denied" || reportedBrand in error;

// invalid tools

export const invalidToolField = (id: unknown, what: string): KumikoError =>
  invalidTool(`createTool (id ${shorten(id)}): ${what}`);

export const invalidTimeout = (where: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `timeoutMs of ${where} must be a number of milliseconds above 0 (Infinity for no limit), but is ${shorten(given)}.`,
  );

export const invalidApprovalOption = (where: string, option: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `${option} of ${where} must be true, false, a function, or a record of these by tool name, but is ${shorten(given)}.`,
  );

export const approvalForUnknownTool = (
  where: string,
  option: string,
  name: string,
  names: readonly string[],
): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `${option} of ${where} names "${name}", which is not a tool. Tools: ${names.join(", ") || "none"}.`,
  );

export const unknownOperation = (where: string, kind: string, name: string, names: readonly string[]): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `include of ${where} names "${name}", which is not ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}. ` +
      `${capital(kind)}s: ${list(names, 50)}.`,
  );

export const selectionResult = (where: string, option: string, given: unknown): KumikoError =>
  new KumikoError("INVALID_OPTION", `${option} of ${where} must return true or false, but returned ${kindOf(given)}.`);

/** How many issues an error keeps. */
const mostIssues = 100;
/** How many issues a message shows: more would only fill the context of a model. */
const mostIssuesShown = 20;

/** `- city: expected string (got 42)`, a line for each issue. */
function issueLines(issues: readonly StandardIssue[], value: unknown): string {
  const lines = issues.slice(0, mostIssuesShown).map(({ message, path = [] }) => {
    const got = shorten(at(value, path), { length: 200 });
    return `\n- ${shortenText(pathText(path))}${shortenText(message)} (got ${got})`;
  });
  const rest = issues.length - lines.length;
  return lines.join("") + (rest > 0 ? `\n- and ${rest} more` : "");
}

function pathText(path: NonNullable<StandardIssue["path"]>): string {
  let text = "";
  for (const step of path) {
    const key = typeof step === "object" ? step.key : step;
    if (typeof key === "number") text += `[${key}]`;
    else text += text === "" ? String(key) : `.${String(key)}`;
  }
  return text === "" ? "" : `${text}: `;
}

function at(value: unknown, path: NonNullable<StandardIssue["path"]>): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== "object" || current === null) return undefined;
    const key = typeof step === "object" ? step.key : step;
    current = Object.hasOwn(current, key) ? Reflect.get(current, key) : undefined;
  }
  return current;
}
