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
  /** One call after the other, in the order of their blocks; an error stops the following ones. @default false */
  readonly executeSequentially?: boolean | undefined;
  /** How many calls may run at once. @default no limit */
  readonly maxConcurrency?: number | undefined;
  /** Answers calls of tools that the node does not have. Without it such a call is an error. */
  readonly unknownToolsHandler?:
    | ((name: string, args: string, ctx: ToolContext) => string | Promise<string>)
    | undefined;
  /** Gives the text of the arguments to use in place of what the model wrote. */
  readonly toolArgumentsHandler?:
    | ((name: string, args: string, ctx: ToolContext) => string | Promise<string>)
    | undefined;
  /** Functions around every call; the first is the outermost. */
  readonly toolCallMiddlewares?: readonly ToolCallMiddleware[] | undefined;
  /** Other names of tools and of their top-level arguments, by the tool's own name. */
  readonly toolAliases?: Readonly<Record<string, ToolAliases>> | undefined;
  /**
   * What a failed call does: `"throw"` fails the node, `"result"` tells the model, a function returns the text that the model
   * reads. With `"throw"`, arguments that do not fit stop all calls before any tool runs. @default "throw"
   */
  readonly onToolError?: "throw" | "result" | ToolErrorHandler | undefined;
  /** What the model reads of an error. @default its message */
  readonly formatError?: ((error: ToolError) => string) | undefined;
  /**
   * Repairs arguments that do not fit where it is clear what was meant: JSON inside a string, `null` for an optional field,
   * text after the object. They are validated again, and handlers get a `repaired_arguments` event.
   * @default false
   */
  readonly coerceArguments?: boolean | undefined;
  /**
   * What happens to tools whose schemas have no JSON form: `"throw"` names them all in one error, `"skip"` leaves them out,
   * prints a warning, and lists them in `node.skippedTools`. @default "throw"
   */
  readonly onSchemaError?: "throw" | "skip" | undefined;
  /** How long one call may take, in milliseconds; a tool's own limit comes first. @default no limit */
  readonly timeoutMs?: number | undefined;
  /** What happens to output that does not fit, for tools that do not say it themselves. @default "error" for Standard Schemas, "off" for plain JSON Schemas */
  readonly outputValidation?: OutputValidation | undefined;
  /** The most characters that the model reads of one result; the rest is cut off. (An error has 800 at least.) @default no limit */
  readonly maxResultLength?: number | undefined;
}
