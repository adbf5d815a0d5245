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
  /** The name by which the model calls the tool. @default `id`, or the key of the record that holds the tool */
  readonly name?: string | undefined;
  /** Another name of `name`, as in `createTool`. */
  readonly id?: string | undefined;
  /** The description by which the model decides when to call it. */
  readonly description?: string | ((context: never) => string) | undefined;
  /** The schema of the arguments. Those that do not fit never reach `execute`. */
  readonly inputSchema?: unknown;
  /** An older name of `inputSchema`. */
  readonly parameters?: unknown;
  /** The schema of the output. */
  readonly outputSchema?: unknown;
  /** Runs a call with its validated arguments. */
  readonly execute: Execute;
  /** Whether calls need approval: a boolean, or a function of the input. */
  readonly requireApproval?: boolean | Execute | undefined;
  /** The name of this option in the AI SDK. */
  readonly needsApproval?: boolean | Execute | undefined;
  /** The payload given to `ctx.suspend` must fit it. */
  readonly suspendSchema?: unknown;
  /** The answer that resumes a suspended call must fit it. */
  readonly resumeSchema?: unknown;
  /** Returns what the model reads in place of the output. */
  readonly toModelOutput?: ((result: never) => unknown) | undefined;
  /** How long a call may take, in milliseconds. @default the setting of the node */
  readonly timeoutMs?: number | undefined;
  /** The reaction to output that does not fit `outputSchema`. */
  readonly outputValidation?: OutputValidation | undefined;
  /** The request context of a call must fit it. */
  readonly requestContextSchema?: unknown;
  /** The options in `ctx.options`, as in `createTool`. */
  readonly options?: AnyToolOptions | undefined;
  /** How yielded chunks are joined, as in `createTool`. */
  readonly concat?: DeclaredConcat | undefined;
  /** Passes the text of the arguments to `execute` as it is. @default false */
  readonly rawArguments?: boolean | undefined;
  /** A title for users; carried in `metadata`. */
  readonly title?: string | undefined;
  /** Data of your own about the tool; never sent to a model. */
  readonly metadata?: unknown;
  /** How MCP describes the tool: title, annotations, `_meta`. */
  readonly mcp?: McpToolProperties | undefined;
}

/** A tool of another package that is executed elsewhere, so that it only has a schema. */
export interface ToolWithoutExecute extends ForeignHooks {
  /** The name by which the model calls the tool. @default `id`, or the key of the record that holds the tool */
  readonly name?: string | undefined;
  /** Another name of `name`, as in `createTool`. */
  readonly id?: string | undefined;
  /** The description by which the model decides when to call it. */
  readonly description?: string | ((context: never) => string) | undefined;
  /** The schema of the arguments. */
  readonly inputSchema: unknown;
  /** The schema of the output. */
  readonly outputSchema?: unknown;
  /** Missing: a call waits until its output is given from outside. */
  readonly execute?: Execute | undefined;
}

/** A tool of TanStack AI: a definition, or what its `server` or `client` returns. */
export interface TanStackTool {
  /** Where the tool runs. */
  readonly __toolSide: "server" | "client" | "definition";
  /** The name by which the model calls the tool. */
  readonly name: string;
  /** The description by which the model decides when to call it. */
  readonly description: string;
  /** The schema of the arguments. */
  readonly inputSchema?: unknown;
  /** The schema of the output. */
  readonly outputSchema?: unknown;
  /** Runs a call. */
  readonly execute?: Execute | undefined;
}

/** A tool of Mastra 1: its `execute` takes the input and a context, and checks both itself. */
export interface MastraTool {
  /** The name by which the model calls the tool. */
  readonly id: string;
  /** The description by which the model decides when to call it. */
  readonly description: string;
  /** The schema of the arguments. */
  readonly inputSchema?: unknown;
  /** The schema of the output. */
  readonly outputSchema?: unknown;
  /** Runs a call. */
  readonly execute?: Execute | undefined;
}

/** A tool in the form of Eino: it gets the text of its arguments. It has at least one of the two functions. */
export interface EinoTool {
  /** The name, description and parameters that the model reads, or a function that returns them. */
  readonly info: ToolInfo | EinoToolInfo | (() => ToolInfo | EinoToolInfo);
  /** Runs a call and returns its output. */
  readonly invokableRun?: ((args: string, ctx: ToolContext) => unknown) | undefined;
  /** Runs a call and streams its output. */
  readonly streamableRun?: ((args: string, ctx: ToolContext) => unknown) | undefined;
  /** Whether calls need approval: a boolean, or a function of the arguments. */
  readonly requireApproval?: ApprovalRule<string> | undefined;
}

/** The info of an {@link EinoTool}. */
export interface EinoToolInfo {
  /** The name by which the model calls it. */
  readonly name: string;
  /** The description by which the model decides when to call it. */
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
