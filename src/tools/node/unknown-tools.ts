import { toolOutputOf } from "../define/tool-output.js";
import type { AgenticToolsNodeConfig } from "./config.js";
import type { InvokableMiddleware } from "./middleware.js";
import type { ToolEntry } from "./tool-entry.js";

type Handler = NonNullable<AgenticToolsNodeConfig["unknownToolsHandler"]>;

/** The handler of unknown tools as a tool: it gets the text of the arguments, and what it gives back is the result. */
export function unknownToolsEntry(handler: Handler, invokable: ReturnType<InvokableMiddleware> | undefined): ToolEntry {
  return {
    name: "",
    type: "",
    stages: {
      readInput: (text) => text,
      invoke: (input, ctx) => handler(ctx.toolName, input as string, ctx),
      finish: (value, _input, call) => toolOutputOf(value, call),
    },
    options: undefined,
    timeoutMs: undefined,
    argumentAliases: undefined,
    known: false,
    invokable,
    streamable: undefined,
  };
}
