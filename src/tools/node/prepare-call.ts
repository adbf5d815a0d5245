import { isPromiseLike } from "../../is.js";
import { requestValues } from "../define/request-check.js";
import { tellInput } from "../define/tool-hooks.js";
import { renameArguments } from "./aliases.js";
import { argumentsHandlerFailed, handledArgumentsNotText, unknownTool } from "./errors.js";
import type { ToolRun } from "./tool-run.js";

/**
 * All that comes before a call runs: aliases, the arguments handler, parsing, validating. A call for which something is
 * wrong fails; nothing is thrown. Gives a promise when something must be awaited.
 */
export function prepareCall(run: ToolRun, toolNames: readonly string[]): Promise<void> | undefined {
  const { entry } = run;
  if (entry === undefined) {
    run.fail(unknownTool(run, toolNames));
    return undefined;
  }
  try {
    if (entry.argumentAliases !== undefined) run.text = renameArguments(run.text, entry.argumentAliases);
    const handler = entry.known ? run.owner.settings.argumentsHandler : undefined;
    const handled = handler === undefined ? readInput(run) : handleArguments(run, handler);
    if (!isPromiseLike(handled)) return undefined;
    return Promise.resolve(handled.then(undefined, (thrown) => run.fail(thrown)));
  } catch (thrown) {
    run.fail(thrown);
    return undefined;
  }
}

function readInput(run: ToolRun): void | Promise<void> {
  const input = run.entry?.stages.readInput(run.text, run);
  return isPromiseLike(input) ? Promise.resolve(input.then((ready) => accept(run, ready))) : accept(run, input);
}

/** The input is valid; whether the tool may run also depends on the request. */
function accept(run: ToolRun, input: unknown): void | Promise<void> {
  run.input = input;
  const stages = run.entry?.stages;
  if (stages?.hooks !== undefined && run.state === "waiting") tellInput(stages.hooks, input, run);
  const misfit = stages?.checkRequest?.(requestValues(run.nodeContext.requestContext), run);
  if (misfit === undefined) return undefined;
  if (!isPromiseLike(misfit)) return run.refuse(misfit);
  return Promise.resolve(misfit.then((error) => error && run.refuse(error)));
}

type ArgumentsHandler = NonNullable<ToolRun["owner"]["settings"]["argumentsHandler"]>;

function handleArguments(run: ToolRun, handler: ArgumentsHandler): void | Promise<void> {
  const given = run.text;
  const refuse = (cause: unknown): never => {
    throw argumentsHandlerFailed(run, given, cause);
  };
  let handled: unknown;
  try {
    handled = handler(run.toolName, given, run.context);
  } catch (cause) {
    return refuse(cause);
  }
  if (!isPromiseLike(handled)) return use(run, handled, refuse);
  return Promise.resolve(handled.then((text) => use(run, text, refuse), refuse));
}

function use(run: ToolRun, text: unknown, refuse: (cause: unknown) => never): void | Promise<void> {
  if (typeof text !== "string") return refuse(handledArgumentsNotText(text));
  run.text = text;
  return readInput(run);
}
