import type { OutputValidation } from "../define/tool-settings.js";
import type { AgenticToolsNodeConfig } from "./config.js";
import type { Deadlines } from "./deadlines.js";
import type { ToolEntry } from "./tool-entry.js";

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
