import type { AnyTool } from "../define/any-tool.js";

/** An array of tools, which have names of their own, or a record whose keys are the names. @internal */
export type ToolList = readonly AnyTool[] | Readonly<Record<string, AnyTool>>;

export function isToolArray(tools: unknown): tools is readonly AnyTool[] {
  return Array.isArray(tools);
}

/** Copies a list of tools, so that later changes to it have no effect. */
export function copyOfTools(tools: ToolList): ToolList {
  return isToolArray(tools) ? [...tools] : { ...tools };
}

/** Whether two lists have the same tools under the same names. */
export function areSameTools(before: ToolList, now: ToolList): boolean {
  if (isToolArray(before) && isToolArray(now)) return areEqual(before, now);
  if (isToolArray(before) || isToolArray(now)) return false;
  return areEqual(Object.keys(before), Object.keys(now)) && areEqual(Object.values(before), Object.values(now));
}

function areEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
