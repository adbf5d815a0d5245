import type { ApprovalRule, ToolContext } from "../../components/tool.js";
import { isFields } from "../../is.js";
import { approvalForUnknownTool, invalidApprovalOption } from "./errors.js";

/**
 * Whether a call needs approval before it runs: `true`, `false`, or a function that decides. `source` is what the tool was
 * made from: an MCP tool definition, or an OpenAPI operation.
 */
export type ApprovalPolicy<Source> =
  | boolean
  | ((input: Readonly<Record<string, unknown>>, ctx: ToolContext, source: Source) => boolean | Promise<boolean>);

/** One policy for all tools of a server or a document, or a record of policies by tool name. */
export type ApprovalOption<Source> = ApprovalPolicy<Source> | Readonly<Record<string, ApprovalPolicy<Source>>>;

/**
 * Which calls of the tools of a server or a document need approval. Naming a tool that does not exist is an error
 * (`INVALID_OPTION`), because the calls that were meant would otherwise run without approval.
 *
 * @example
 * const client = { listTools: async () => ({ tools: [] }), callTool: async () => ({ content: [] }) };
 * await mcpTools(client, { requireApproval: (_input, _ctx, { annotations }) => annotations?.readOnlyHint !== true });
 */
export interface ApprovalOptions<Source> {
  /**
   * Whether a call needs approval before it runs: a policy for all tools, or a record of policies by tool name, in which tools
   * that are not named need no approval. @default false
   */
  readonly requireApproval?: ApprovalOption<Source> | undefined;
}

type Arguments = Record<string, unknown>;

/** The approval policy for one tool. */
export function approvalFor<Source>(
  { requireApproval }: ApprovalOptions<Source>,
  name: string,
  source: Source,
): ApprovalRule<Arguments> | undefined {
  const inRecord =
    typeof requireApproval === "object" && Object.hasOwn(requireApproval, name) ? requireApproval[name] : undefined;
  const policy = typeof requireApproval === "object" ? inRecord : requireApproval;
  return typeof policy === "function" ? (input, ctx) => policy(input, ctx as ToolContext, source) : policy;
}

/** Throws if the option is invalid, or names a tool that does not exist: the calls that were meant would run without approval. */
export function checkApprovalNames(
  where: string,
  { requireApproval: given }: ApprovalOptions<never>,
  names: readonly string[],
): void {
  const option = "requireApproval";
  if (given === undefined || isPolicy(given)) return;
  if (typeof given !== "object" || given === null) throw invalidApprovalOption(where, option, given);
  for (const [name, policy] of Object.entries(given)) {
    if (!names.includes(name)) throw approvalForUnknownTool(where, option, name, names);
    if (policy !== undefined && !isPolicy(policy)) throw invalidApprovalOption(where, `${option}["${name}"]`, policy);
  }
}

/** Whether a value is a policy, or a record of policies. */
export function isApprovalOption(given: unknown): boolean {
  if (!isFields(given) || typeof given === "function") return isPolicy(given);
  return Object.values(given).every((policy) => policy === undefined || isPolicy(policy));
}

function isPolicy(given: unknown): boolean {
  return typeof given === "boolean" || typeof given === "function";
}
