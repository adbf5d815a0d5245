import type { ToolContext } from "../../components/tool.js";
import type { AnyToolOptions } from "../../components/tool-options.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { OutputValidation } from "../define/tool-settings.js";
import type { ToolStages } from "../define/tool-stages.js";
import type { ArgumentAliases } from "./aliases.js";
import type { AgenticToolsNodeConfig } from "./config.js";
import type { Deadlines } from "./deadlines.js";
import type { InvokableMiddleware, StreamableMiddleware } from "./middleware.js";

/** The options of a tools node, checked and resolved once. */
export interface ToolsNodeSettings {
  /** How many calls may run at once. */
  readonly concurrency: number;
  /** Whether calls run one after another: a call that stops also stops those after it. */
  readonly isSequential: boolean;
  readonly argumentsHandler: AgenticToolsNodeConfig["toolArgumentsHandler"];
  /** The entry for calls to tools that the node does not have. */
  readonly unknownTools: ToolEntry | undefined;
  readonly onToolError: NonNullable<AgenticToolsNodeConfig["onToolError"]>;
  readonly formatError: AgenticToolsNodeConfig["formatError"];
  readonly coerceArguments: boolean;
  readonly timeoutMs: number | undefined;
  readonly outputValidation: OutputValidation | undefined;
  readonly maxResultLength: number | undefined;
  readonly deadlines: Deadlines;
  readonly replaceResult?: ReplaceResult | undefined;
}

/**
 * Sees each whole result that is not an error, and may give the model another text in its place: a promise of it, or of `undefined`,
 * which never rejects. What a streaming tool has streamed stays as it was.
 */
export type ReplaceResult = (ctx: ToolContext, result: AgenticMessage) => Promise<string | undefined> | undefined;

/** A tool in the table of a node, with what its calls need, resolved once. */
export interface ToolEntry {
  /** The tool's own name. */
  readonly name: string;
  /** The `type` in its run info, for handlers. */
  readonly type: string;
  readonly description: string;
  readonly stages: ToolStages;
  readonly options: AnyToolOptions | undefined;
  readonly timeoutMs: number | undefined;
  readonly argumentAliases: ArgumentAliases | undefined;
  /** Whether it is a tool of this node: `toolArgumentsHandler` and aliases do not run for unknown tools. */
  readonly known: boolean;
  /** The tool wrapped in its middlewares, if there are any: for one result, and for streaming. */
  readonly invokable: ReturnType<InvokableMiddleware> | undefined;
  readonly streamable: ReturnType<StreamableMiddleware> | undefined;
}
