import { isPromiseLike } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";

/** What every hook of a tool gets. */
export interface ToolHookCall {
  /** The id of the call, as its result has it. */
  readonly toolCallId: string;
  /** The tool's own name, also when the model used an alias. */
  readonly toolName: string;
  /** The call option `messages`, else the assistant message with the call; while it streams in, as far as it has come. */
  readonly messages: readonly AgenticMessage[];
  readonly abortSignal: AbortSignal;
}

/** What `onInputDelta` gets. */
export interface InputDelta extends ToolHookCall {
  /** The next piece of the text of the arguments. */
  readonly inputTextDelta: string;
}

/** What `onInputAvailable` gets. */
export interface AvailableInput<Input> extends ToolHookCall {
  /** Parsed and validated: what `execute` gets. */
  readonly input: Input;
}

/** What `onOutput` gets. */
export interface AvailableOutput<Output> extends ToolHookCall {
  /** As its `outputSchema` gives it, before `toModelOutput`; of a stream, all chunks joined. */
  readonly output: Output;
}

/**
 * Functions that look at the calls of a tool, in this order. Nothing waits for a hook, and a hook that fails never fails its
 * call: handlers get a `hook_error` event, and without a handler the error is printed to the console.
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
  /** A streaming message has begun to call the tool. Not called for messages that are there at once. */
  onInputStart?(call: ToolHookCall): unknown;
  /** Each piece of the arguments of such a call. */
  onInputDelta?(call: InputDelta): unknown;
  /** The arguments are valid. */
  onInputAvailable?(call: AvailableInput<Input>): unknown;
  /** `execute` is done, and its output is valid. */
  onOutput?(call: AvailableOutput<Output>): unknown;
}

/** Hooks with their types erased: a tool and its stages know which is which. */
export type AnyToolHooks = ToolHooks<never, never>;

export const hookNames = ["onInputStart", "onInputDelta", "onInputAvailable", "onOutput"] as const;

export type HookError = {
  readonly kind: "hook_error";
  readonly hook: keyof AnyToolHooks;
  readonly toolName: string;
  readonly callId: string;
  readonly error: unknown;
};

/** Where a hook is called. */
export interface HookPlace {
  readonly callId: string;
  readonly toolName: string;
  readonly messages: readonly AgenticMessage[];
  readonly abortSignal: AbortSignal;
  /** Handlers hear of an event; where nobody listens, what went wrong stands in the console. */
  report(event: HookError): void;
}

/** Hooks among the options of a tool; `undefined` when there is none. */
export function hooksOf(options: AnyToolHooks): AnyToolHooks | undefined {
  return hookNames.some((name) => options[name] !== undefined) ? options : undefined;
}

/** The arguments of a call are valid. */
export function tellInput(hooks: AnyToolHooks | undefined, input: unknown, place: HookPlace): void {
  if (hooks?.onInputAvailable === undefined) return;
  const told: AvailableInput<unknown> = { ...hookCallOf(place), input };
  callHook(hooks, "onInputAvailable", told, place);
}

/** A call has gone well. */
export function tellOutput(hooks: AnyToolHooks | undefined, output: unknown, place: HookPlace): void {
  if (hooks?.onOutput === undefined) return;
  const told: AvailableOutput<unknown> = { ...hookCallOf(place), output };
  callHook(hooks, "onOutput", told, place);
}

function hookCallOf({ callId, toolName, messages, abortSignal }: HookPlace): ToolHookCall {
  return { toolCallId: callId, toolName, messages, abortSignal };
}

/** Calls a hook. Nothing comes back, neither a value nor an error. */
export function callHook<Name extends keyof AnyToolHooks>(
  hooks: AnyToolHooks | undefined,
  hook: Name,
  call: ToolHookCall,
  place: HookPlace,
): void {
  if (hooks?.[hook] === undefined) return;
  const { callId, toolName } = place;
  const fail = (error: unknown): void => place.report({ kind: "hook_error", hook, toolName, callId, error });
  try {
    const returned = hooks[hook]?.(call as never);
    if (isPromiseLike(returned)) returned.then(undefined, fail);
  } catch (error) {
    fail(error);
  }
}
