import type { AnyTool } from "../define/any-tool.js";

/** Tools that name themselves, or a record whose keys are the names. */
export type ToolList = readonly AnyTool[] | Readonly<Record<string, AnyTool>>;

export function isToolArray(tools: unknown): tools is readonly AnyTool[] {
  return Array.isArray(tools);
}

/** A copy, so that later changes of the list do not matter. */
export function copyOfTools(tools: ToolList): ToolList {
  return isToolArray(tools) ? [...tools] : { ...tools };
}

/** Whether two lists hold the same tools under the same names. */
export function areSameTools(before: ToolList, now: ToolList): boolean {
  if (isToolArray(before) && isToolArray(now)) return areEqual(before, now);
  if (isToolArray(before) || isToolArray(now)) return false;
  return areEqual(Object.keys(before), Object.keys(now)) && areEqual(Object.values(before), Object.values(now));
}

function areEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
