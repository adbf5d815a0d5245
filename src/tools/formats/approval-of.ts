import type { ApprovalRule, ToolContext } from "../../components/tool.js";
import type { Fields } from "../../is.js";
import { isForeignFunction } from "./foreign-tool.js";

/**
 * Whether calls need approval, under any of the option names: a boolean, or a function of the input and the context.
 * Other values count as they do in a condition.
 */
export function approvalOf(tool: Fields, contextOf: (ctx: ToolContext) => unknown): ApprovalRule<unknown> {
  const read = (given: unknown): ApprovalRule<unknown> => {
    if (!isForeignFunction(given)) return Boolean(given);
    return async (input: unknown, ctx: ToolContext) => Boolean(await given.call(tool, input, await contextOf(ctx)));
  };
  const { requireApproval, needsApprovalFn, needsApproval } = tool;
  const either = eitherApproval(read(requireApproval), read(needsApproval));
  return eitherApproval(either, read(needsApprovalFn)) ?? false;
}

/** Combines two policies: approval is needed if either requires it. */
function eitherApproval<Input>(
  first: ApprovalRule<Input> | undefined,
  second: ApprovalRule<Input> | undefined,
): ApprovalRule<Input> | undefined {
  if (first === true || second === true) return true;
  if (typeof first !== "function" || typeof second !== "function") return first || second;
  return async (input, ctx) => Boolean(await first(input, ctx)) || Boolean(await second(input, ctx));
}
