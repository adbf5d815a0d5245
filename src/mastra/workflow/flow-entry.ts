import type { AnyStep, StepParams } from "./step.js";

/** The argument of the functions of a workflow: conditions, mappings and durations. */
export type FlowParams = StepParams<never, unknown, unknown>;

/** The condition of a branch case or a loop. */
export type StepCondition = (params: FlowParams & { readonly iterationCount: number }) => unknown;

/** One entry of a workflow: a method call such as `.then(step)`. */
export type FlowEntry =
  | { readonly type: "step"; readonly step: AnyStep }
  | { readonly type: "map"; readonly step: AnyStep }
  | { readonly type: "parallel"; readonly id: string; readonly steps: readonly AnyStep[] }
  | { readonly type: "branch"; readonly id: string; readonly cases: readonly BranchCase[] }
  | { readonly type: "loop"; readonly step: AnyStep; readonly until: boolean; readonly condition: StepCondition }
  | { readonly type: "foreach"; readonly step: AnyStep; readonly concurrency: number }
  | { readonly type: "sleep"; readonly id: string; readonly until: Duration };

export interface BranchCase {
  readonly condition: StepCondition;
  readonly step: AnyStep;
}

/** A duration in milliseconds, a point in time, or a function that returns one. */
export type Duration = number | Date | ((params: FlowParams) => unknown);

/** The steps of an entry. */
export function stepsOf(entry: FlowEntry): readonly AnyStep[] {
  switch (entry.type) {
    case "step":
    case "map":
    case "loop":
    case "foreach":
      return [entry.step];
    case "parallel":
      return entry.steps;
    case "branch":
      return entry.cases.map(({ step }) => step);
    case "sleep":
      return [];
    default:
      return entry satisfies never;
  }
}
