import type { AnyToolOptions } from "../../components/tool-options.js";
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
  /** One after another: what stops one call stops those behind it. */
  readonly isSequential: boolean;
  readonly argumentsHandler: AgenticToolsNodeConfig["toolArgumentsHandler"];
  /** What calls of tools go to that the node does not have. */
  readonly unknownTools: ToolEntry | undefined;
  readonly onToolError: NonNullable<AgenticToolsNodeConfig["onToolError"]>;
  readonly formatError: AgenticToolsNodeConfig["formatError"];
  readonly coerceArguments: boolean;
  readonly timeoutMs: number | undefined;
  readonly outputValidation: OutputValidation | undefined;
  readonly maxResultLength: number | undefined;
  readonly deadlines: Deadlines;
}

/** A tool in the table of a node: what a call of it needs to know, looked up once. */
export interface ToolEntry {
  /** The tool's own name. */
  readonly name: string;
  /** What handlers see as `type`. */
  readonly type: string;
  readonly stages: ToolStages;
  readonly options: AnyToolOptions | undefined;
  readonly timeoutMs: number | undefined;
  readonly argumentAliases: ArgumentAliases | undefined;
  /** Whether it is a tool of this node: `toolArgumentsHandler` and aliases do not run for unknown tools. */
  readonly known: boolean;
  /** The tool with its middlewares around it, if it has some: as it gives one result, and as it streams. */
  readonly invokable: ReturnType<InvokableMiddleware> | undefined;
  readonly streamable: ReturnType<StreamableMiddleware> | undefined;
}
