import type { ToolContext, ToolOutput } from "../../components/tool.js";
import { toolOutputOf } from "../../components/tool-output.js";
import type { StagedCall, StagedOutput } from "../../components/tool-stages.js";
import { isPromiseLike } from "../run/async.js";
import type { AgenticToolsNodeConfig } from "./config.js";
import type { InvokableMiddleware } from "./middleware.js";
import type { ToolEntry } from "./tool-entry.js";

type Handler = NonNullable<AgenticToolsNodeConfig["unknownToolsHandler"]>;

/** The handler of unknown tools as a tool: it gets the text of the arguments, and what it gives back is the result. */
export function unknownToolsEntry(handler: Handler, invokable: ReturnType<InvokableMiddleware> | undefined): ToolEntry {
  const invoke = (input: unknown, ctx: ToolContext, call: StagedCall): StagedOutput => {
    const output: unknown = handler(call.toolName, input as string, ctx);
    if (!isPromiseLike(output)) return toolOutputOf(output, call);
    return Promise.resolve<unknown>(output).then((ready): ToolOutput => toolOutputOf(ready, call));
  };
  return {
    name: "",
    type: "",
    stages: { readInput: (text) => text, invoke },
    options: undefined,
    timeoutMs: undefined,
    argumentAliases: undefined,
    known: false,
    invokable,
    streamable: undefined,
  };
}
