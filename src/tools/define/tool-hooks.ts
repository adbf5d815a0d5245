import { isPromiseLike } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";

/** The argument of every hook of a tool. */
export interface ToolHookCall {
  /** The id of the call, the same as in its result. */
  readonly toolCallId: string;
  /** The tool's own name, also when the model used an alias. */
  readonly toolName: string;
  /** The call option `messages`, or else the assistant message with the call; while that streams in, what has arrived so far. */
  readonly messages: readonly AgenticMessage[];
  /** Aborted when the call is. */
  readonly abortSignal: AbortSignal;
}

/** The argument of `onInputDelta`. */
export interface InputDelta extends ToolHookCall {
  /** The next piece of the text of the arguments. */
  readonly inputTextDelta: string;
}

/** The argument of `onInputAvailable`. */
export interface AvailableInput<Input> extends ToolHookCall {
  /** The parsed and validated input, which `execute` receives. */
  readonly input: Input;
}

/** The argument of `onOutput`. */
export interface AvailableOutput<Output> extends ToolHookCall {
  /** The validated output, before `toModelOutput`; for a tool that streams, all chunks joined. */
  readonly output: Output;
}

/**
 * Functions that observe the calls of a tool, called in this order. Nothing waits for a hook, and a failing hook never fails its
 * call: handlers get a `hook_error` event; without a handler the error is printed to the console.
 *
 * @example
 * const search = createTool({
 *   id: "search",
 *   description: "Searches the web.",
 *   inputSchema: z.object({ query: z.string() }),
 *   onInputAvailable: ({ input, toolCallId }) => console.log(toolCallId, input.query),
 *   execute: async ({ query }) => `Nothing found for ${query}.`,
 * });
 */
export interface ToolHooks<Input, Output> {
  /** Called when a streaming message begins to call the tool; not called for messages that do not stream. */
  onInputStart?(call: ToolHookCall): unknown;
  /** Called for each piece of the arguments of such a call. */
  onInputDelta?(call: InputDelta): unknown;
  /** Called when the arguments are valid. */
  onInputAvailable?(call: AvailableInput<Input>): unknown;
  /** Called when `execute` is done and its output is valid. */
  onOutput?(call: AvailableOutput<Output>): unknown;
}

/** Hooks with their types erased. */
export type AnyToolHooks = ToolHooks<never, never>;

export const hookNames = ["onInputStart", "onInputDelta", "onInputAvailable", "onOutput"] as const;

export type HookError = {
  readonly kind: "hook_error";
  readonly hook: keyof AnyToolHooks;
  readonly toolName: string;
  readonly callId: string;
  readonly error: unknown;
};

/** The call for which a hook is called. */
export interface HookContext {
  readonly callId: string;
  readonly toolName: string;
  readonly messages: readonly AgenticMessage[];
  readonly abortSignal: AbortSignal;
  /** Sends an event to the handlers; without one, the error is printed to the console. */
  report(event: HookError): void;
}

/** The options of a tool if they have a hook, otherwise `undefined`. */
export function hooksOf(options: AnyToolHooks): AnyToolHooks | undefined {
  return hookNames.some((name) => options[name] !== undefined) ? options : undefined;
}

/** Calls the hook `onInputAvailable`. */
export function tellInput(hooks: AnyToolHooks | undefined, input: unknown, context: HookContext): void {
  if (hooks?.onInputAvailable === undefined) return;
  const available: AvailableInput<unknown> = Object.assign(hookCallOf(context), { input });
  callHook(hooks, "onInputAvailable", available, context);
}

/** Calls the hook `onOutput`. */
export function tellOutput(hooks: AnyToolHooks | undefined, output: unknown, context: HookContext): void {
  if (hooks?.onOutput === undefined) return;
  const available: AvailableOutput<unknown> = Object.assign(hookCallOf(context), { output });
  callHook(hooks, "onOutput", available, context);
}

/** The messages, which may have to be joined, and the signal are made when a hook reads them. */
export function hookCallOf(context: HookContext): ToolHookCall {
  return {
    toolCallId: context.callId,
    toolName: context.toolName,
    get messages() {
      return context.messages;
    },
    get abortSignal() {
      return context.abortSignal;
    },
  };
}

/** Calls a hook. Ignores what it returns, and reports errors. */
export function callHook<Name extends keyof AnyToolHooks>(
  hooks: AnyToolHooks | undefined,
  hook: Name,
  call: ToolHookCall,
  context: HookContext,
): void {
  if (hooks?.[hook] === undefined) return;
  const { callId, toolName } = context;
  const fail = (error: unknown): void => context.report({ kind: "hook_error", hook, toolName, callId, error });
  try {
    const returned = hooks[hook]?.(call as never);
    if (isPromiseLike(returned)) returned.then(undefined, fail);
  } catch (error) {
    fail(error);
  }
}
