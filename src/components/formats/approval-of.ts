import type { NeedsApproval, ToolContext } from "../tool.js";
import { type Fields, isFunction } from "./foreign-tool.js";

/**
 * Whether somebody must agree first: under either name, always or where a function of the input and the context says so.
 * What is neither true nor false counts as it does in a condition.
 */
export function approvalOf(tool: Fields, contextOf: (ctx: ToolContext) => unknown): NeedsApproval<unknown> {
  const { requireApproval, needsApprovalFn, needsApproval } = tool;
  if (requireApproval === true || needsApproval === true) return true;
  const given = needsApprovalFn || requireApproval || needsApproval;
  if (!isFunction(given)) return Boolean(given);
  return async (input: unknown, ctx: ToolContext) => Boolean(await given.call(tool, input, await contextOf(ctx)));
}
