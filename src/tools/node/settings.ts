import { checkOptions } from "../../check-options.js";
import { toolOutputOf } from "../define/tool-output.js";
import { checkOutputValidation, checkTimeout } from "../define/tool-settings.js";
import type { AgenticToolsNodeConfig } from "./config.js";
import { Deadlines } from "./deadlines.js";
import { invalidToolsNodeOption } from "./errors.js";
import { composeInvokable, type InvokableMiddleware } from "./middleware.js";
import type { ToolEntry, ToolsNodeSettings } from "./node-settings.js";
import { nextInvokable } from "./run-tool.js";

const optionNames: readonly string[] = [
  ...["tools", "executeSequentially", "maxConcurrency", "unknownToolsHandler", "toolArgumentsHandler"],
  ...["toolCallMiddlewares", "toolAliases", "onToolError", "formatError", "timeoutMs", "outputValidation"],
  ...["maxResultLength", "coerceArguments", "onSchemaError"],
];

/** Checks the options of a node and fills in defaults. */
export function resolveSettings(config: AgenticToolsNodeConfig): ToolsNodeSettings {
  check(config);
  const { executeSequentially = false, maxConcurrency, unknownToolsHandler, onToolError = "throw" } = config;
  return {
    isSequential: executeSequentially,
    concurrency: executeSequentially ? 1 : (maxConcurrency ?? Number.POSITIVE_INFINITY),
    argumentsHandler: config.toolArgumentsHandler,
    unknownTools:
      unknownToolsHandler &&
      unknownToolsEntry(unknownToolsHandler, composeInvokable(config.toolCallMiddlewares ?? [], nextInvokable)),
    onToolError,
    formatError: config.formatError,
    coerceArguments: config.coerceArguments ?? false,
    timeoutMs: config.timeoutMs,
    outputValidation: config.outputValidation,
    maxResultLength: config.maxResultLength,
    deadlines: new Deadlines(),
  };
}

type UnknownToolsHandler = NonNullable<AgenticToolsNodeConfig["unknownToolsHandler"]>;

/** The handler of unknown tools as a tool: it gets the text of the arguments and returns the result. */
function unknownToolsEntry(
  handler: UnknownToolsHandler,
  invokable: ReturnType<InvokableMiddleware> | undefined,
): ToolEntry {
  return {
    name: "",
    type: "",
    description: "",
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

function check(config: AgenticToolsNodeConfig): void {
  if (typeof config !== "object" || config === null)
    throw invalidToolsNodeOption("expected an array of tools, or an object of options.");
  checkOptions("AgenticToolsNode", config, optionNames);
  if (typeof config.tools !== "object" || config.tools === null) {
    throw invalidToolsNodeOption("tools must be an array or a record of tools.");
  }
  const { toolCallMiddlewares, onToolError = "throw", onSchemaError = "throw" } = config;
  for (const name of ["executeSequentially", "coerceArguments"] as const) {
    if (config[name] !== undefined && typeof config[name] !== "boolean")
      throw invalidToolsNodeOption(`${name} must be true or false.`);
  }
  if (onSchemaError !== "throw" && onSchemaError !== "skip") {
    throw invalidToolsNodeOption('onSchemaError must be "throw" or "skip".');
  }
  checkCount("maxConcurrency", config.maxConcurrency);
  checkCount("maxResultLength", config.maxResultLength);
  checkTimeout("AgenticToolsNode", config.timeoutMs);
  checkOutputValidation("AgenticToolsNode", config.outputValidation);
  for (const name of ["unknownToolsHandler", "toolArgumentsHandler", "formatError"] as const) {
    if (config[name] !== undefined && typeof config[name] !== "function")
      throw invalidToolsNodeOption(`${name} must be a function.`);
  }
  if (
    toolCallMiddlewares !== undefined &&
    !(Array.isArray(toolCallMiddlewares) && toolCallMiddlewares.every(isMiddleware))
  ) {
    throw invalidToolsNodeOption(
      "toolCallMiddlewares must be an array of { invokable, streamable }, each a function (next) => ….",
    );
  }
  if (onToolError !== "throw" && onToolError !== "result" && typeof onToolError !== "function") {
    throw invalidToolsNodeOption('onToolError must be "throw", "result" or a function.');
  }
}

function isMiddleware(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).every(
    ([name, wrap]) =>
      (name === "invokable" || name === "streamable") && (wrap === undefined || typeof wrap === "function"),
  );
}

function checkCount(name: string, value: unknown): void {
  if (value === undefined || value === Number.POSITIVE_INFINITY) return;
  if (!Number.isInteger(value) || Number(value) < 1)
    throw invalidToolsNodeOption(`${name} must be a whole number of at least 1.`);
}
