import type { ToolContext } from "../../components/tool.js";
import type { ToolError } from "../define/errors.js";
import type { OutputValidation } from "../define/tool-settings.js";
import type { ToolCall, ToolCallMiddleware } from "./middleware.js";
import type { ToolAliases } from "./options.js";
import type { ToolList } from "./tool-list.js";

/** Returns the text that the model reads in place of the result of a failed call. If it throws, the node fails. */
export type ToolErrorHandler = (error: ToolError, call: ToolCall, ctx: ToolContext) => string | Promise<string>;

/**
 * How a tools node runs the calls of a message.
 *
 * @example
 * const tools = new AgenticToolsNode({ tools: [getWeather], onToolError: "result", timeoutMs: 10_000 });
 */
export interface AgenticToolsNodeConfig {
  /** Tools of any format, mixed: an array of tools that name themselves, or a record whose keys are the names. */
  readonly tools: ToolList;
  /** Runs one call after the other, in the order of their blocks; an error stops the following ones. @default false */
  readonly executeSequentially?: boolean | undefined;
  /** How many calls may run at once. @default no limit */
  readonly maxConcurrency?: number | undefined;
  /** Returns the result of calls to tools that the node does not have. Without it, such a call is an error. */
  readonly unknownToolsHandler?:
    | ((name: string, args: string, ctx: ToolContext) => string | Promise<string>)
    | undefined;
  /** Returns the text of the arguments to use in place of the model's. */
  readonly toolArgumentsHandler?:
    | ((name: string, args: string, ctx: ToolContext) => string | Promise<string>)
    | undefined;
  /** Functions around every call; the first is the outermost. */
  readonly toolCallMiddlewares?: readonly ToolCallMiddleware[] | undefined;
  /** Other names of tools and of their top-level arguments, by the tool's own name. */
  readonly toolAliases?: Readonly<Record<string, ToolAliases>> | undefined;
  /**
   * How a failed call ends: `"throw"` fails the node, `"result"` lets the model read the error, a function returns the text that the model
   * reads. With `"throw"`, arguments that do not fit stop all calls before any tool runs. @default "throw"
   */
  readonly onToolError?: "throw" | "result" | ToolErrorHandler | undefined;
  /** Returns the text that the model reads for an error. @default its message */
  readonly formatError?: ((error: ToolError) => string) | undefined;
  /**
   * Repairs arguments that do not fit where the cause is clear: JSON inside a string, `null` for an optional field,
   * text after the object. They are validated again, and handlers get a `repaired_arguments` event.
   * @default false
   */
  readonly coerceArguments?: boolean | undefined;
  /**
   * How tools whose schemas cannot be converted to JSON Schema are treated: `"throw"` lists them all in one error, `"skip"` leaves
   * them out, prints a warning, and lists them in `node.skippedTools`. @default "throw"
   */
  readonly onSchemaError?: "throw" | "skip" | undefined;
  /** How long one call may take, in milliseconds; a tool's own limit overrides it. @default no limit */
  readonly timeoutMs?: number | undefined;
  /** The reaction to output that does not fit its schema, for tools without a setting of their own. @default "error" for Standard Schemas, "off" for plain JSON Schemas */
  readonly outputValidation?: OutputValidation | undefined;
  /** How many characters of one result the model reads; the rest is cut off. (Errors get at least 800.) @default no limit */
  readonly maxResultLength?: number | undefined;
}
