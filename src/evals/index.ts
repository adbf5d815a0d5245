/** Evals: tapes of models and tools, trajectories, scores with honest numbers, and gates. @packageDocumentation */

export { type Comparison, compare } from "./report/compare.js";
export { type EvaluateContext, type EvaluateOptions, evaluate } from "./report/evaluate.js";
export { type GateLimit, gate } from "./report/gate.js";
export type { CaseResult, Report, ResultScore, ScorerSummary } from "./report/report.js";
export type { Interval } from "./report/statistics.js";
export { type Criterion, type JudgeOptions, judge } from "./scores/judge.js";
export { recallAt, reciprocalRank } from "./scores/retrieval.js";
export type { Case, Score, ScoredOutput, Scorer, ScorerArgs } from "./scores/score.js";
export type { UsageByModel } from "./scores/usage.js";
export { cassette } from "./tape/cassette.js";
export type { CassetteOptions, Tape, TapeMode } from "./tape/tape.js";
export type { Call } from "./trajectory/call.js";
export { calls } from "./trajectory/calls.js";
export { type CallsScore, type ExpectedCall, type MatchCallsOptions, matchCalls } from "./trajectory/match-calls.js";
