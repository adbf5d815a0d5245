import type { ApprovalRule, ToolContext } from "../../components/tool.js";
import type { AnyToolOptions } from "../../components/tool-options.js";
import type { DeclaredConcat } from "../../schema/concat/rule.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import type { McpToolProperties } from "../define/create-tool.js";
import type { ToolHooks } from "../define/tool-hooks.js";
import type { OutputValidation } from "../define/tool-settings.js";

/** The `execute` of a tool. The type of its input is in its schema. @internal */
type Execute = (input: never, ctx: never) => unknown;

/** Hooks that observe the calls of a tool, as in `createTool`. */
type ForeignHooks = { readonly [Hook in keyof ToolHooks<never, never>]?: ((call: never) => unknown) | undefined };

/**
 * A tool without a wrapper: a name, or the key of a record, and what `createTool` calls `description`, `inputSchema` and
 * `execute`. One with a name (or an `id`) is called like a tool of `createTool`; one without is read as an AI SDK `tool()`.
 */
export interface PlainTool extends ForeignHooks {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  readonly description?: string | ((context: never) => string) | undefined;
  readonly inputSchema?: unknown;
  /** An older name of `inputSchema`. */
  readonly parameters?: unknown;
  readonly outputSchema?: unknown;
  readonly execute: Execute;
  /** Whether calls need approval: a boolean, or a function of the input. */
  readonly requireApproval?: boolean | Execute | undefined;
  /** The name of this option in the AI SDK. */
  readonly needsApproval?: boolean | Execute | undefined;
  readonly suspendSchema?: unknown;
  readonly resumeSchema?: unknown;
  readonly toModelOutput?: ((result: never) => unknown) | undefined;
  readonly timeoutMs?: number | undefined;
  readonly outputValidation?: OutputValidation | undefined;
  readonly requestContextSchema?: unknown;
  /** The options in `ctx.options`, how chunks are joined, and whether `execute` gets the text of the arguments: as in `createTool`. */
  readonly options?: AnyToolOptions | undefined;
  readonly concat?: DeclaredConcat | undefined;
  readonly rawArguments?: boolean | undefined;
  /** A title for users; carried in `metadata`. */
  readonly title?: string | undefined;
  readonly metadata?: unknown;
  readonly mcp?: McpToolProperties | undefined;
}

/** A tool of another package that is executed elsewhere, so that it only has a schema. */
export interface ToolWithoutExecute extends ForeignHooks {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  readonly description?: string | ((context: never) => string) | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly execute?: Execute | undefined;
}

/** A tool of TanStack AI: a definition, or what its `server` or `client` returns. */
export interface TanStackTool {
  readonly __toolSide: "server" | "client" | "definition";
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly execute?: Execute | undefined;
}

/** A tool of Mastra 1: its `execute` takes the input and a context, and checks both itself. */
export interface MastraTool {
  readonly id: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly execute?: Execute | undefined;
}

/** A tool in the form of Eino: it gets the text of its arguments. It has at least one of the two functions. */
export interface EinoTool {
  readonly info: ToolInfo | EinoToolInfo | (() => ToolInfo | EinoToolInfo);
  readonly invokableRun?: ((args: string, ctx: ToolContext) => unknown) | undefined;
  readonly streamableRun?: ((args: string, ctx: ToolContext) => unknown) | undefined;
  /** Whether calls need approval: a boolean, or a function of the arguments. */
  readonly requireApproval?: ApprovalRule<string> | undefined;
}

/** The info of an {@link EinoTool}. */
export interface EinoToolInfo {
  /** The name by which the model calls it. */
  readonly name: string;
  readonly description?: string | undefined;
  /** Another name of `description`. */
  readonly desc?: string | undefined;
  /** A Standard Schema, a plain JSON Schema or a map of parameters. */
  readonly parameters?: unknown;
}

/** Every tool that was not made for this package. */
export type ForeignTool = PlainTool | ToolWithoutExecute | TanStackTool | MastraTool | EinoTool;

export type ForeignFunction = (this: unknown, ...values: readonly unknown[]) => unknown;

export function isForeignFunction(value: unknown): value is ForeignFunction {
  return typeof value === "function";
}

export function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
