import type { Fields } from "../../is.js";
import { type AnyToolHooks, hookNames, type ToolHookCall } from "../define/tool-hooks.js";
import { isForeignFunction } from "./foreign-tool.js";

type Hook = (call: ToolHookCall) => unknown;

/** The hooks of a tool of another package, called as its methods. `more` are the further fields that its package passes to them. */
export function foreignHooks(tool: Fields, more: object = {}): AnyToolHooks {
  const hooks: Partial<Record<keyof AnyToolHooks, Hook>> = {};
  for (const name of hookNames) {
    const hook = tool[name];
    // assigned, not spread: the messages of a call that streams in are only joined for hooks that read them
    if (isForeignFunction(hook)) hooks[name] = (call) => hook.call(tool, Object.assign(call, more));
  }
  return hooks;
}
