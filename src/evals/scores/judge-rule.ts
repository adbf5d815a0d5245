/** One question of a judge, and how much it counts. */
export interface WeightedCriterion {
  readonly ask: string;
  readonly weight: number;
}

/** The checked options of a judge. */
export interface JudgeRule {
  readonly question: string;
  readonly criteria: readonly (readonly [name: string, criterion: WeightedCriterion])[] | undefined;
  readonly levels: Readonly<Record<string, number>>;
}
