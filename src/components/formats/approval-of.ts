import type { ToolContext } from "../tool.js";
import { type Fields, isFunction } from "./foreign-tool.js";

/** Whether somebody must agree first: under either name, always or as a function of the input and the context says. */
export function approvalOf(tool: Fields, contextOf: (ctx: ToolContext) => unknown): unknown {
  const given = tool.requireApproval || tool.needsApprovalFn || tool.needsApproval;
  if (!isFunction(given)) return given === true;
  return (input: unknown, ctx: ToolContext) => given.call(tool, input, contextOf(ctx));
}
