import type { AnyToolOptions } from "../../components/tool-options.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import type { ToolStages } from "../define/tool-stages.js";
import type { ArgumentAliases } from "./aliases.js";
import type { InvokableMiddleware, StreamableMiddleware } from "./middleware.js";

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
  /** `toolArgumentsHandler` and aliases do not run for what is no tool of this node. */
  readonly known: boolean;
  /** The middlewares around it, by the way it runs. */
  readonly invokable: ReturnType<InvokableMiddleware> | undefined;
  readonly streamable: ReturnType<StreamableMiddleware> | undefined;
}

/** A tool that a model can be told of. */
export interface NamedEntry {
  readonly entry: ToolEntry;
  /** What the model reads: its name is one that every provider accepts. */
  readonly info: ToolInfo;
}
