import { checkOptions } from "../../check-options.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import type { AgentRun } from "../agent-context.js";
import { type AnyMiddleware, createMiddleware, type Maybe, type Middleware } from "../create-middleware.js";
import { invalidAgentOption } from "../errors.js";

/**
 * What a guard decides: nothing, to let it pass; another text, for the log and everybody who reads it; or that it is blocked, and why.
 * The reason is for `result.blocked` only.
 */
export type GuardVerdict =
  | undefined
  | { readonly replace: string; readonly block?: undefined }
  | {
      readonly block: string;
      /** What is answered in place of what was blocked. @default the `reply` of the guard */
      readonly reply?: string | undefined;
      readonly replace?: undefined;
    };

/** A verdict that changes something. */
export type Judged =
  | { readonly replace: string; readonly block?: undefined }
  | { readonly block: string; readonly reply: string; readonly replace?: undefined };

/** What guards have said before the turn began, by message and guard: they are not asked again. */
export type Verdicts = Map<string, Judged | undefined>;

/** @internal */
type Verdict = Maybe<GuardVerdict>;

/**
 * Options of {@link guard}: at least one of its three functions. One that throws blocks.
 *
 * @example
 * const polite: GuardOptions = {
 *   name: "polite",
 *   input: (message) => (/idiot/i.test(textOf(message)) ? { block: "It is rude.", reply: "Let us stay polite." } : undefined),
 * };
 */
export interface GuardOptions {
  /** Names the guard in events and results. Like middlewares, no two of an agent have the same name. */
  readonly name: string;
  /** Judges each new message of the user, before the model sees it. `replace` replaces its text. */
  input?(message: AgenticMessage, run: AgentRun): Verdict;
  /**
   * Judges the text of each answer before it is read. A streamed one comes in pieces: each time what is not released yet, which lags
   * 200 to 232 characters behind the model, and at the end the rest, with `done: true`. What it finds should be no longer than that. A
   * structured answer is judged whole, as JSON; reasoning never.
   */
  output?(text: string, piece: { readonly done: boolean }, run: AgentRun): Verdict;
  /** Judges each call of a tool before it runs. `replace` is the JSON of other arguments; a call that is blocked is `denied`. */
  toolCall?(call: FunctionToolCall, run: AgentRun): Verdict;
  /** What is answered in place of what was blocked. @default "I cannot help with that." */
  readonly reply?: string | undefined;
}

const guarding: unique symbol = Symbol.for("kumiko/guard") as never;

/**
 * Creates a guard: a middleware that judges what goes into an agent, comes out of it, and which tools it calls. A blocked input or
 * output ends the turn with `finishReason: "content_filter"`, and the reply as its text; a turn that was blocked on its input is not
 * shown to the model again. After a handoff, the guards of the agent that was called still apply.
 *
 * @example
 * const agent = createAgent({
 *   model,
 *   middleware: [
 *     guard(piiGuard()),
 *     guard({ name: "no-refunds", toolCall: ({ name }) => (name === "refund" ? { block: "Not here." } : undefined) }),
 *   ],
 * });
 */
export function guard(options: GuardOptions): Middleware {
  checkOptions("guard", options, ["name", "input", "output", "toolCall", "reply"]);
  const { name, reply } = options;
  const middleware = createMiddleware({ name });
  const functions = [options.input, options.output, options.toolCall].filter((judge) => judge !== undefined);
  if (functions.length === 0) {
    throw invalidAgentOption(`The guard "${name}" judges nothing. Give it a function input, output or toolCall.`);
  }
  if (functions.some((judge) => typeof judge !== "function"))
    throw invalidAgentOption(`input, output and toolCall of the guard "${name}" must be functions.`);
  if (reply !== undefined && typeof reply !== "string")
    throw invalidAgentOption(`reply of the guard "${name}" must be a string.`);
  return Object.freeze({ ...middleware, [guarding]: options });
}

/** The guards among the middlewares of an agent. */
export function guardsIn(middleware: readonly AnyMiddleware[]): readonly GuardOptions[] {
  return middleware.flatMap((one) => (guarding in one ? [one[guarding] as GuardOptions] : []));
}
