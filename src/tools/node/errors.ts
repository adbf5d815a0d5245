import { KumikoError, messageOf } from "../../errors.js";
import { isFields } from "../../is.js";
import { nearestNames } from "../../nearest-names.js";
import { invalidTool, schemaUnsupported } from "../../schema/errors.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { ToolErrorKind } from "../../schema/message/content-block.js";
import { messageProblem } from "../../schema/message/message-problem.js";
import { shorten, shortenText } from "../../schema/shorten.js";
import { capital, list } from "../../wording.js";
import { named, type ToolCallName, ToolError } from "../define/errors.js";

const failure = (
  kind: ToolErrorKind,
  { toolName, callId }: ToolCallName,
  message: string,
  cause?: unknown,
): ToolError => new ToolError(kind, message, cause === undefined ? { toolName, callId } : { toolName, callId, cause });

// the message

/** Adds an empty list of results, which every rejection of the node has. */
const withoutResults = (error: KumikoError): KumikoError =>
  Object.assign(error, { results: [] satisfies AgenticMessage[] });

export const notAssistant = (given: unknown): KumikoError =>
  withoutResults(
    new KumikoError("INVALID_MESSAGE", `A tools node executes the calls of an assistant message${whatInstead(given)}`),
  );

export const noToolCall = (): KumikoError =>
  withoutResults(
    new KumikoError(
      "NO_TOOL_CALL",
      "A tools node found no function_tool_call block: no tool call found in input message. " +
        'Branch around the node when the model calls nothing: toolCallsOr("tools", END).',
    ),
  );

function whatInstead(given: unknown): string {
  if (!isFields(given) || !Array.isArray(given.contentBlocks)) return `, but this ${messageProblem(given)}`;
  return `: expected message role is Assistant, got role ${shorten(given.role)}.`;
}

export const invalidCall = (index: number, field: string, given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_MESSAGE",
    `contentBlocks[${index}] is a function_tool_call whose ${field} is not a string (got ${shorten(given)}).`,
  );

// calls

/** Limits for the names of tools in a message. */
const mostToolsShown = 20;
const longestName = 100;

export const unknownTool = (call: ToolCallName, known: readonly string[]): ToolError => {
  const shown = nearestNames(call.toolName, known, mostToolsShown);
  const names = list(shown.map((name) => shortenText(name, { length: longestName })));
  const rest = known.length > shown.length ? `, and ${known.length - shown.length} more` : "";
  const called = named({
    toolName: shortenText(call.toolName, { length: longestName }),
    callId: shortenText(call.callId, { length: longestName }),
  });
  return failure("unknown_tool", call, `${capital(called)} not found. Tools of this node: ${names}${rest}.`);
};

export const argumentsHandlerFailed = (call: ToolCallName, text: string, cause: unknown): ToolError =>
  failure(
    "execution",
    call,
    `${capital(named(call))} did not run, because toolArgumentsHandler failed for its arguments ` +
      `${shortenText(text)}: ${messageOf(cause)}`,
    cause,
  );

export const handledArgumentsNotText = (given: unknown): TypeError =>
  new TypeError(`it must return the arguments as a string, but returned ${shorten(given)}.`);

export const unknownToolsHandlerFailed = (call: ToolCallName, cause: unknown): ToolError =>
  failure("execution", call, `unknownToolsHandler failed for ${named(call)}: ${messageOf(cause)}`, cause);

export const errorHandlerFailed = (call: ToolCallName, error: ToolError, cause: unknown): ToolError =>
  failure("execution", call, `onToolError failed for the error below: ${messageOf(cause)}\n${error.message}`, cause);

export const callTimedOut = (call: ToolCallName, timeoutMs: number, cause: unknown): ToolError =>
  failure(
    "timeout",
    call,
    `${capital(named(call))} did not finish within its timeoutMs of ${timeoutMs} ms. It was asked to stop, and may already ` +
      "have had an effect.",
    cause,
  );

export const callAborted = (call: ToolCallName, cause: unknown): ToolError =>
  failure(
    "aborted",
    call,
    `${capital(named(call))} was aborted before it finished; it may have executed. ${messageOf(cause)}`,
    cause,
  );

export const callNotExecuted = (call: ToolCallName, why: string): ToolError =>
  failure("not_executed", call, `${capital(named(call))} was not executed, because ${why}.`);

export const contextNotPassed = (name: string): TypeError =>
  new TypeError(`A middleware of tool "${name}" called next without the context. Pass it on: next(call, ctx).`);

// construction

export const invalidToolsNodeOption = (what: string): KumikoError =>
  new KumikoError("INVALID_OPTION", `AgenticToolsNode: ${what}`);

export const notATool = (where: string, given: unknown): KumikoError =>
  invalidTool(
    isFields(given) && given.component === "agent"
      ? `${where} is an agent. Give it as a tool: agent.asTool().`
      : `${where} is not a tool (got ${shorten(given)}). Make one with createTool, or pass an object with an execute function.`,
  );

export const toolWithoutInfo = (where: string, cause: unknown): KumikoError =>
  new KumikoError("INVALID_TOOL", `AgenticToolsNode failed to get the info of ${where}: ${messageOf(cause)}`, {
    cause,
  });

export const toolWithoutName = (where: string): KumikoError =>
  invalidTool(`${where} has no name. A tool needs a non-empty name.`);

export const toolDoesNothing = (name: string): KumikoError =>
  invalidTool(`Tool "${name}" is not invokable or streamable. Give it invoke(args, ctx) or stream(args, ctx).`);

export const invalidToolKey = (key: string): KumikoError =>
  new KumikoError(
    "INVALID_KEY",
    key === "__proto__"
      ? 'A record of tools may not have the key "__proto__".'
      : `A record of tools may not have the key "${key}": JavaScript moves keys that look like integers to the front. Pass an array instead.`,
  );

export const duplicateTool = (name: string, first: string, second: string): KumikoError =>
  new KumikoError("DUPLICATE_TOOL", `${first} and ${second} are both named "${name}". Give one of them another name.`);

export const sameModelName = (modelName: string, first: string, second: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_TOOL",
    `Tools "${first}" and "${second}" would both be "${modelName}" for the model. Rename one of them.`,
  );

export const toolsWithoutJsonSchema = (problems: readonly string[], cause: unknown): KumikoError =>
  schemaUnsupported(
    `These tools cannot be offered to a model, because their schemas cannot be converted to JSON Schema. Change the schemas, or leave the tools out with onSchemaError: "skip":\n- ${problems.join("\n- ")}`,
    cause,
  );

export const skippedTools = (problems: readonly string[]): string =>
  `AgenticToolsNode leaves these tools out, because their schemas cannot be converted to JSON Schema:\n- ${problems.join("\n- ")}`;

export const aliasesNotARecord = (): KumikoError =>
  new KumikoError("INVALID_ALIAS", "toolAliases must be a record of aliases by tool name.");

const invalidAlias = (tool: string, what: string): KumikoError =>
  new KumikoError("INVALID_ALIAS", `toolAliases: tool "${tool}" ${what}`);

export const invalidAliases = (tool: string): KumikoError =>
  invalidAlias(tool, "takes { nameAliases: [names], argumentsAliases: { key: [names] } } and nothing else.");

export const emptyNameAlias = (tool: string): KumikoError => invalidAlias(tool, "has empty name alias.");

export const aliasIsTool = (tool: string, alias: string): KumikoError =>
  invalidAlias(tool, `has the name alias "${alias}", which conflicts with existing tool's canonical name.`);

export const aliasTaken = (tool: string, alias: string, other: string): KumikoError =>
  invalidAlias(
    tool,
    `has the name alias "${alias}", which conflicts with an alias already registered for tool "${other}".`,
  );

export const emptyArgumentKey = (tool: string): KumikoError =>
  invalidAlias(tool, "has argument aliases for an empty canonical argument key.");

export const nestedArgumentKey = (tool: string, key: string): KumikoError =>
  invalidAlias(
    tool,
    `has argument aliases for "${key}": nested field matching is not yet supported. Name a top-level key.`,
  );

export const emptyArgumentAlias = (tool: string, key: string): KumikoError =>
  invalidAlias(tool, `has an empty argument alias for "${key}".`);

export const argumentAliasIsProperty = (tool: string, key: string, alias: string): KumikoError =>
  invalidAlias(
    tool,
    `has the argument alias "${alias}" for "${key}", which conflicts with existing schema property "${alias}".`,
  );

export const argumentAliasTaken = (tool: string, alias: string, first: string, second: string): KumikoError =>
  invalidAlias(tool, `has a conflicting arg alias: "${alias}" means both "${first}" and "${second}".`);

export const refusedAliasKey = (tool: string): KumikoError =>
  invalidAlias(tool, 'cannot have aliases under the key "__proto__".');
