import type { AgentResult } from "../../agents/agent-result.js";
import type { NodeContext } from "../../components/context.js";
import { isFields, textIf } from "../../is.js";
import type { TokenUsage } from "../../schema/message/agentic-message.js";
import { shorten } from "../../schema/shorten.js";
import { toJson } from "../tape/plain-json.js";
import type { Call } from "../trajectory/call.js";
import { usageIn } from "./usage.js";

/** One example of an evaluation. Further fields are for scorers. */
export interface Case<Input = unknown, Expected = unknown> {
  /** Names it in reports and comparisons. @default its position, counted from 1 */
  readonly id?: string | undefined;
  /** What `run` gets. */
  readonly input: Input;
  /** What scorers compare with. */
  readonly expected?: Expected;
  readonly [more: string]: unknown;
}

/** What a scorer may return: from 0 (wrong) to 1 (right); `null` if it does not apply. */
export type Score =
  | number
  | boolean
  | {
      /** From 0 to 1, or whether it is right; `null` if it does not apply. */
      readonly score: number | boolean | null;
      /** Why. */
      readonly reason?: string | undefined;
      /** Scores of which this one is made. */
      readonly parts?: Readonly<Record<string, unknown>> | undefined;
      /** The tokens that scoring has used. */
      readonly usageByModel?: Readonly<Record<string, TokenUsage>> | undefined;
    };

/** The output of what `run` returned: the answer of an agent, `output` beside `usageByModel`, or the value itself. */
export type ScoredOutput<Result> =
  Result extends AgentResult<infer Output>
    ? Output
    : Result extends { readonly output: infer Output; readonly usageByModel: unknown }
      ? Output
      : Result;

/** What a scorer gets: the fields of the case, and what `run` returned, also under the names of other libraries. */
export type ScorerArgs<One, Result> = One & {
  /** What `run` returned; of an agent its answer. */
  readonly output: ScoredOutput<Result>;
  /** The result of an agent as plain data; otherwise what `run` returned. */
  readonly result: unknown;
  /** The calls of an agent; otherwise none. */
  readonly calls: readonly Call[];
  /** The input, as other libraries name it. */
  readonly inputs: One extends { readonly input: infer Input } ? Input : unknown;
  /** The output, as other libraries name it. */
  readonly outputs: ScoredOutput<Result>;
  /** What is expected, as other libraries name it. */
  readonly referenceOutputs: One extends { readonly expected?: infer Expected } ? Expected : unknown;
  /** What is expected, as other libraries name it. */
  readonly reference_outputs: One extends { readonly expected?: infer Expected } ? Expected : unknown;
};

/** Gives an output a {@link Score}, or what scorers of other libraries return. Whatever it returns is checked. */
export type Scorer<One = Case<unknown, unknown>, Result = unknown> = (
  args: ScorerArgs<One, Result>,
  ctx?: NodeContext,
) => unknown;

/** A score that was read: `null` is unscored, and the reason says why. */
export interface ReadScore {
  readonly score: number | null;
  readonly reason?: string;
  readonly parts?: Readonly<Record<string, unknown>>;
  readonly usageByModel?: Readonly<Record<string, TokenUsage>>;
}

/** Reads what a scorer returned, whatever it is. */
export function readScore(given: unknown): ReadScore {
  if (given === null) return { score: null, reason: "The scorer did not apply (null)." };
  if (typeof given === "number" || typeof given === "boolean") return checked(given, given, {});
  if (!isFields(given)) return unusable(given);
  const value = "score" in given ? given.score : given.pass;
  const reason = reasonIn(given);
  const { parts, usageByModel } = given;
  const more = {
    ...(reason !== undefined && { reason }),
    // what a scorer returns may be anything, and a store keeps data only
    ...(isFields(parts) && { parts: toJson(parts) as Readonly<Record<string, unknown>> }),
    ...(isFields(usageByModel) && { usageByModel: usageIn(usageByModel) }),
  };
  if (value === null) return { reason: "The scorer did not apply (null).", ...more, score: null };
  return checked(value, given, more);
}

function checked(value: unknown, given: unknown, more: Omit<ReadScore, "score">): ReadScore {
  if (typeof value === "boolean") return { score: value ? 1 : 0, ...more };
  if (typeof value === "number" && value >= 0 && value <= 1) return { score: value, ...more };
  return { ...more, ...unusable(given) };
}

function unusable(given: unknown): ReadScore {
  return {
    score: null,
    reason: `The scorer returned ${shorten(given, { length: 200 })}, which is not a score: a number from 0 to 1, a boolean, { score } or { pass }.`,
  };
}

function reasonIn(given: Readonly<Record<string, unknown>>): string | undefined {
  const { reason, reasoning, comment, metadata, rationale } = given;
  const inside = isFields(metadata) ? metadata.rationale : undefined;
  for (const one of [reason, reasoning, comment, inside, rationale]) {
    const text = textIf(one);
    if (text !== undefined && text !== "") return text;
  }
  return undefined;
}
