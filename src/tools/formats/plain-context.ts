import type { ToolContext } from "../../components/tool.js";

const fields: readonly string[] = [
  ...["toolCallId", "toolName", "messages", "signal", "abortSignal", "rawArguments", "requestContext", "state"],
  ...["address", "runInfo", "options", "taskKey", "progress", "processState", "ask", "interrupt", "once", "resume"],
  ...["suspend", "resumeData", "with"],
];

/**
 * The context as a plain object, for tools of other packages, which copy its own properties. A property is read only when the tool
 * reads it.
 */
export function plainContext(ctx: ToolContext, more: Readonly<Record<string, unknown>>): object {
  const plain = { ...more };
  for (const name of fields) {
    if (!Object.hasOwn(more, name) && name in ctx) {
      Object.defineProperty(plain, name, { enumerable: true, get: () => Reflect.get(ctx, name) });
    }
  }
  return plain;
}
