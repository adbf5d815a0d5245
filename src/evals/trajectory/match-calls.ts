import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidExpected, notCalls } from "../errors.js";
import type { Call } from "./call.js";
import { asCode, matchesValue, tests } from "./match-value.js";
import { maximumMatching } from "./matching.js";

/** A call that is expected: the name of its tool, or what of the call matters. */
export type ExpectedCall =
  | string
  | {
      /** The name of the tool, or a pattern of it. */
      readonly tool: string | RegExp;
      /** What the arguments must have, in part: values, regular expressions, functions, matchers such as `expect.any`. */
      readonly input?: unknown;
      /** What the result must have. */
      readonly output?: unknown;
      /** What the error must be. `undefined` demands that there is none. */
      readonly error?: unknown;
      /** The agent that made the call. */
      readonly agent?: unknown;
      /** The calls of the agent behind the tool, matched with the same options. */
      readonly calls?: readonly ExpectedCall[];
    };

/** Options of {@link matchCalls}. */
export interface MatchCallsOptions {
  /**
   * `"exact"`: the same calls, one by one. `"inOrder"`: the expected calls occur in this order, others may be between. `"anyOrder"`:
   * each expected call occurs. `"subset"`: no call occurs that is not expected. @default "inOrder"
   */
  readonly order?: "exact" | "inOrder" | "anyOrder" | "subset" | undefined;
  /** Calls that must not occur, whatever else does, also not in an agent behind a tool. @default none */
  readonly never?: readonly ExpectedCall[] | undefined;
}

/** Whether calls are as expected, and if not, why. */
export interface CallsScore {
  /** 1 or 0. */
  readonly score: 0 | 1;
  /** What is wrong. */
  readonly reason?: string;
}

/**
 * Compares calls of tools with what is expected. As it is a score, it is a scorer's result too.
 *
 * @example
 * const result = await agent.generate("Weather in Kyoto?");
 * console.log(matchCalls(calls(result), [{ tool: "get_weather", input: { city: /kyoto/i } }]));
 */
export function matchCalls(
  actual: readonly Call[],
  expected: readonly ExpectedCall[],
  options: MatchCallsOptions = {},
): CallsScore {
  checkOptions("matchCalls", options, {
    order: [(order) => orders.includes(order), '"exact", "inOrder", "anyOrder" or "subset"'],
    never: [Array.isArray, "a list of expected calls"],
  });
  const { order = "inOrder", never = [] } = options;
  if (!Array.isArray(actual) || !actual.every(isCall)) throw notCalls("The first argument", actual);
  if (!Array.isArray(expected)) throw notCalls("The second argument", expected);
  checkExpected(expected, "expected");
  checkExpected(never, "never");
  const reason = problemOf(actual, expected, { order, never });
  return reason === undefined ? { score: 1 } : { score: 0, reason };
}

const orders: readonly unknown[] = ["exact", "inOrder", "anyOrder", "subset"];

interface Rule {
  readonly order: NonNullable<MatchCallsOptions["order"]>;
  readonly never: readonly ExpectedCall[];
}

function isCall(value: unknown): value is Call {
  return isFields(value) && typeof value.tool === "string";
}

function checkExpected(list: readonly unknown[], where: string): void {
  for (const [index, one] of list.entries()) {
    const at = `${where}[${index}]`;
    if (typeof one === "string") continue;
    if (!isFields(one)) throw invalidExpected(at, `must be the name of a tool or { tool, … } (got ${kindOf(one)})`);
    checkOptions(`${at} of matchCalls`, one, ["tool", "input", "output", "error", "agent", "calls"]);
    if (typeof one.tool !== "string" && !(one.tool instanceof RegExp))
      throw invalidExpected(`${at}.tool`, `must be a string or a regular expression (got ${kindOf(one.tool)})`);
    if (one.calls === undefined) continue;
    if (!Array.isArray(one.calls)) throw invalidExpected(`${at}.calls`, `must be a list (got ${kindOf(one.calls)})`);
    checkExpected(one.calls, `${at}.calls`);
  }
}

/** What is wrong with calls; `undefined` if nothing is. */
function problemOf(actual: readonly Call[], expected: readonly ExpectedCall[], rule: Rule): string | undefined {
  const forbidden = withInner(actual).find((call) => rule.never.some((one) => matches(call, one, rule)));
  if (forbidden !== undefined) return `${callText(forbidden)} must never be called. ${callList(actual)}`;
  switch (rule.order) {
    case "exact":
      return exactProblem(actual, expected, rule);
    case "inOrder":
      return missing(expected[firstOutOfOrder(actual, expected, rule)], actual);
    case "anyOrder": {
      const found = maximumMatching(expected.length, actual.length, (seeker, partner) =>
        fits(actual[partner], expected[seeker], rule),
      );
      return missing(expected[found.indexOf(undefined)], actual);
    }
    case "subset": {
      const found = maximumMatching(actual.length, expected.length, (seeker, partner) =>
        fits(actual[seeker], expected[partner], rule),
      );
      const extra = actual[found.indexOf(undefined)];
      const names = expected.map((one) => expectedText(one, true)).join(", ") || "none";
      return extra && `${callText(extra)} is not expected. Expected at most: ${names}.`;
    }
    default:
      return rule.order satisfies never;
  }
}

/** Calls with those of agents behind them: what is forbidden is forbidden to them too. */
function withInner(list: readonly Call[]): Call[] {
  return list.flatMap((call) => [call, ...withInner(call.calls ?? [])]);
}

function exactProblem(actual: readonly Call[], expected: readonly ExpectedCall[], rule: Rule): string | undefined {
  const wrong = expected.findIndex((one, index) => !fits(actual[index], one, rule));
  const one = expected[wrong];
  if (one !== undefined)
    return `Expected ${expectedText(one, isCalled(one, actual))} as call ${wrong + 1}. ${callList(actual)}`;
  if (actual.length === expected.length) return undefined;
  return `Expected ${expected.length} calls, but there are ${actual.length}. ${callList(actual)}`;
}

/** The position of the first expected call that does not occur after those before it; -1 if all do. */
function firstOutOfOrder(actual: readonly Call[], expected: readonly ExpectedCall[], rule: Rule): number {
  let next = 0;
  return expected.findIndex((one) => {
    while (next < actual.length && !fits(actual[next], one, rule)) next += 1;
    next += 1;
    return next > actual.length;
  });
}

function fits(call: Call | undefined, expected: ExpectedCall | undefined, rule: Rule): boolean {
  return call !== undefined && expected !== undefined && matches(call, expected, rule);
}

function matches(call: Call, expected: ExpectedCall, rule: Rule): boolean {
  if (typeof expected === "string") return call.tool === expected;
  const { tool, calls } = expected;
  if (typeof tool === "string" ? tool !== call.tool : !tests(tool, call.tool)) return false;
  for (const field of ["input", "output", "error", "agent"] as const) {
    if (field in expected && !matchesValue(call[field], expected[field])) return false;
  }
  return calls === undefined || problemOf(call.calls ?? [], calls, rule) === undefined;
}

function missing(expected: ExpectedCall | undefined, actual: readonly Call[]): string | undefined {
  return expected && `Expected ${expectedText(expected, isCalled(expected, actual))}. ${callList(actual)}`;
}

/** Whether a call of the tool occurs: then something else about it is wrong. */
function isCalled(expected: ExpectedCall, actual: readonly Call[]): boolean {
  if (typeof expected === "string") return false;
  const { tool } = expected;
  return actual.some((call) => (typeof tool === "string" ? tool === call.tool : tests(tool, call.tool)));
}

function expectedText(expected: ExpectedCall, isWhole: boolean): string {
  if (typeof expected === "string") return expected;
  const { tool, input, calls, ...others } = expected;
  if (!isWhole) return String(tool);
  const rest = { ...others, ...(calls !== undefined && { calls: calls.map((one) => expectedText(one, true)) }) };
  const more = Object.keys(rest).length === 0 ? "" : ` with ${asCode(rest)}`;
  return `${tool}${"input" in expected ? `(${asCode(input)})` : ""}${more}`;
}

function callText({ tool, input, error, calls = [] }: Call): string {
  const failed = error === undefined ? "" : ` failed with ${asCode(error)}`;
  const inner = calls.length === 0 ? "" : ` [${listText(calls)}]`;
  return `${tool}(${asCode(input)})${failed}${inner}`;
}

function callList(calls: readonly Call[]): string {
  return `Calls: ${calls.length === 0 ? "none" : listText(calls)}.`;
}

function listText(calls: readonly Call[]): string {
  return calls.slice(0, 20).map(callText).join(", ") + (calls.length > 20 ? ", …" : "");
}
