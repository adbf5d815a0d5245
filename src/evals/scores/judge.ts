import { checkOptions } from "../../check-options.js";
import type { NodeContext } from "../../components/context.js";
import { isFields } from "../../is.js";
import type { Model } from "../../models/model.js";
import { resolvedModel } from "../../models/to-model.js";
import { kindOf } from "../../wording.js";
import { invalidJudge } from "../errors.js";
import type { JudgeRule, WeightedCriterion } from "./judge-rule.js";
import type { Case, Scorer } from "./score.js";

/** Options of {@link judge}. */
export interface JudgeOptions {
  /** Several questions in one call, each with a verdict of its own; the score is their weighted mean. @default the question alone */
  readonly criteria?: Readonly<Record<string, string | Criterion>> | undefined;
  /** The verdicts and what they are worth. @default { no: 0, partly: 0.5, yes: 1 } */
  readonly levels?: Readonly<Record<string, number>> | undefined;
}

/** One question of a judge. */
export interface Criterion {
  /** What is asked. */
  readonly ask: string;
  /** How much it counts. @default 1 */
  readonly weight?: number | undefined;
}

/**
 * A scorer that asks a model: first for a reason, then for one of a few verdicts, never for a number. Input, expected and answer are
 * data to it, which cannot speak to it.
 *
 * @example
 * const polite = judge(model, "Is the answer polite?");
 * const good = judge(model, "Is this a good answer to the customer?", {
 *   criteria: { complete: "Does it answer the whole question?", calm: { ask: "Is its tone calm?", weight: 0.5 } },
 * });
 */
export function judge(model: Model, question: string, options: JudgeOptions = {}): Scorer<Case, unknown> {
  const { find, type } = resolvedModel(model, "judge");
  const rule = ruleOf(question, options);
  return async (args, ctx?: NodeContext) => {
    const { askJudge } = await import("./ask-judge.js");
    return askJudge({ find, type }, rule, args, ctx);
  };
}

const usualLevels = { no: 0, partly: 0.5, yes: 1 };

function ruleOf(question: unknown, options: JudgeOptions): JudgeRule {
  checkOptions("judge", options, {
    criteria: [isFields, "a record of questions"],
    levels: [isFields, "a record of numbers"],
  });
  if (typeof question !== "string" || question.trim() === "")
    throw invalidJudge(`the question must be a non-empty string (got ${kindOf(question)}).`);
  const { criteria, levels = usualLevels } = options;
  const values: readonly unknown[] = Object.values(levels);
  if (values.length < 2 || !values.every((value) => typeof value === "number" && value >= 0 && value <= 1))
    throw invalidJudge("levels must be at least two verdicts with numbers from 0 to 1: { no: 0, yes: 1 }.");
  return { question, levels: { ...levels }, criteria: criteria && criteriaOf(criteria) };
}

function criteriaOf(criteria: NonNullable<JudgeOptions["criteria"]>): NonNullable<JudgeRule["criteria"]> {
  const read = Object.entries(criteria).map(([name, given]) => [name, criterionOf(name, given)] as const);
  if (read.length === 0) throw invalidJudge("criteria needs at least one question.");
  if (read.every(([, { weight }]) => weight === 0))
    throw invalidJudge("at least one criterion needs a weight above 0.");
  return read;
}

function criterionOf(name: string, given: unknown): WeightedCriterion {
  if (isFields(given)) checkOptions(`criteria["${name}"] of judge`, given, ["ask", "weight"]);
  const { ask, weight = 1 } = isFields(given) ? given : { ask: given };
  if (typeof ask !== "string" || ask.trim() === "")
    throw invalidJudge(`criteria["${name}"] must be a question (got ${kindOf(ask)}).`);
  if (typeof weight !== "number" || !Number.isFinite(weight) || weight < 0)
    throw invalidJudge(`the weight of criteria["${name}"] must be a number of at least 0 (got ${String(weight)}).`);
  return { ask, weight };
}
