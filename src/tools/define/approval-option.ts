import type { NeedsApproval, ToolContext } from "../../components/tool.js";
import { eitherApproval } from "./approval.js";
import { approvalOfNoTool, invalidApprovalOption } from "./errors.js";

/**
 * Whether a call needs approval before it runs: always, or where a function says so. `source` is what the tool was
 * made from: an MCP tool definition, or an OpenAPI operation.
 */
export type ApprovalPolicy<Source> =
  | boolean
  | ((input: Readonly<Record<string, unknown>>, ctx: ToolContext, source: Source) => boolean | Promise<boolean>);

/** One policy for all tools of a server or a document, or a record of policies by tool name. */
export type ApprovalOption<Source> = ApprovalPolicy<Source> | Readonly<Record<string, ApprovalPolicy<Source>>>;

/**
 * Which calls of the tools of a server or a document wait for an approval. A record with a name that no tool has is an error
 * (`INVALID_OPTION`): otherwise the calls that it was meant for would run unasked.
 *
 * @example
 * const client = { listTools: async () => ({ tools: [] }), callTool: async () => ({ content: [] }) };
 * await mcpTools(client, { requireApproval: (_input, _ctx, { annotations }) => annotations?.readOnlyHint !== true });
 */
export interface ApprovalOptions<Source> {
  /**
   * Whether a call needs approval before it runs: always, where a function says so, or for some tools by name; a
   * tool that is not named needs no approval. If both options are given, either can require it. @default false
   */
  readonly requireApproval?: ApprovalOption<Source> | undefined;
  /** Another name of `requireApproval`. */
  readonly needsApproval?: ApprovalOption<Source> | undefined;
}

type Arguments = Record<string, unknown>;

/** What the options say about one tool. */
export function approvalFor<Source>(
  { requireApproval, needsApproval }: ApprovalOptions<Source>,
  name: string,
  source: Source,
): NeedsApproval<Arguments> | undefined {
  return eitherApproval(policyFor(name, source, requireApproval), policyFor(name, source, needsApproval));
}

/** A name that no tool of `where` has is an error: the calls that were meant would run unasked. */
export function checkApprovalNames(
  where: string,
  { requireApproval, needsApproval }: ApprovalOptions<never>,
  names: readonly string[],
): void {
  for (const [option, given] of Object.entries({ requireApproval, needsApproval })) check(where, option, given, names);
}

function check(where: string, option: string, given: unknown, names: readonly string[]): void {
  if (given === undefined || isPolicy(given)) return;
  if (typeof given !== "object" || given === null) throw invalidApprovalOption(where, option, given);
  for (const [name, policy] of Object.entries(given)) {
    if (!names.includes(name)) throw approvalOfNoTool(where, option, name, names);
    if (policy !== undefined && !isPolicy(policy)) throw invalidApprovalOption(where, `${option}["${name}"]`, policy);
  }
}

function isPolicy(given: unknown): boolean {
  return typeof given === "boolean" || typeof given === "function";
}

function policyFor<Source>(
  name: string,
  source: Source,
  option: ApprovalOption<Source> | undefined,
): NeedsApproval<Arguments> | undefined {
  const inRecord = typeof option === "object" && Object.hasOwn(option, name) ? option[name] : undefined;
  const policy = typeof option === "object" ? inRecord : option;
  return typeof policy === "function" ? (input, ctx) => policy(input, ctx as ToolContext, source) : policy;
}
