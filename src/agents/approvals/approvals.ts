import { checkOptions } from "../../check-options.js";
import type { AgentRun } from "../agent-context.js";
import { type AnyMiddleware, createMiddleware, type Middleware, withOptionalUser } from "../create-middleware.js";
import { invalidAgentOption } from "../errors.js";

/**
 * A rule about calls of tools. The first one that matches decides, except that `deny` comes before all others.
 *
 * @example
 * const rule: CallRule = { tool: "pay", action: "ask", when: ({ amount }) => Number(amount) > 100, key: ({ to }) => String(to) };
 */
export interface CallRule {
  /** The name of a tool; with `*` at the end, of all tools whose names begin so. */
  readonly tool: string;
  /** `allow` runs it although the tool asks, `ask` asks the user, `deny` gives the model a result that says so. */
  readonly action: "allow" | "ask" | "deny";
  /** Whether the rule is for a call with this input. One that throws asks. @default every call */
  when?(input: Readonly<Record<string, unknown>>, run: AgentRun): boolean | Promise<boolean>;
  /** What an answer with `always: true` holds for, such as an account; a rule without it means the tool as a whole. */
  key?(input: Readonly<Record<string, unknown>>): string;
  /** Why a call was denied, for the model. */
  readonly reason?: string | undefined;
}

/** Options of {@link approvals}. */
export interface ApprovalsOptions {
  /** The rules, in order. @default none: tools that ask themselves can be approved from then on */
  readonly rules?: readonly CallRule[] | undefined;
}

/** What a user always allows: `<tool>`, or `<tool>:<key>`. */
export type AlwaysAllowed = Readonly<Record<string, boolean>>;

/** The name of the middleware, under which it keeps what users allow. */
export const approvalsName = "approvals";

const ruling: unique symbol = Symbol.for("kumiko/approvals") as never;
const actions: readonly string[] = ["allow", "ask", "deny"];

/**
 * Decides by rules which calls of tools run, ask, or are denied: first a matching `deny`, then what the user always allows, then the
 * first rule that matches, then what the tool itself requires. An answer `{ approved: true, always: true }` is kept for the user of the
 * call (`userId`); without one it is a plain yes. After a handoff, the rules of the agent that was called still apply.
 *
 * @example
 * const agent = createAgent({
 *   model,
 *   store,
 *   tools: [getWeather],
 *   middleware: [approvals({ rules: [{ tool: "get_*", action: "allow" }, { tool: "*", action: "ask" }] })],
 * });
 */
export function approvals(options: ApprovalsOptions = {}): Middleware<AlwaysAllowed> {
  checkOptions("approvals", options, ["rules"]);
  const { rules = [] } = options;
  if (!Array.isArray(rules)) throw invalidAgentOption("rules of approvals must be a list.");
  for (const [index, rule] of rules.entries()) checkRule(`rules[${index}] of approvals`, rule);
  const middleware = createMiddleware<AlwaysAllowed>({ name: approvalsName, scope: "user", state: () => ({}) });
  return Object.freeze({ ...withOptionalUser(middleware), [ruling]: rules });
}

function checkRule(where: string, rule: CallRule): void {
  checkOptions(where, rule, ["tool", "action", "when", "key", "reason"]);
  const { tool, action, when, key, reason } = rule;
  if (typeof tool !== "string" || tool === "")
    throw invalidAgentOption(`${where} needs the name of a tool, such as "pay" or "send_*".`);
  if (!actions.includes(action)) throw invalidAgentOption(`action of ${where} must be "allow", "ask" or "deny".`);
  for (const [name, given] of Object.entries({ when, key })) {
    if (given !== undefined && typeof given !== "function")
      throw invalidAgentOption(`${name} of ${where} must be a function of the input.`);
  }
  if (reason !== undefined && typeof reason !== "string")
    throw invalidAgentOption(`reason of ${where} must be a string.`);
}

/** The rules of an agent; `undefined` if it has none, and nobody could always allow anything. */
export function rulesIn(middleware: readonly AnyMiddleware[]): readonly CallRule[] | undefined {
  for (const one of middleware) if (ruling in one) return one[ruling] as readonly CallRule[];
  return undefined;
}

export function isFor({ tool }: CallRule, name: string): boolean {
  return tool.endsWith("*") ? name.startsWith(tool.slice(0, -1)) : name === tool;
}
