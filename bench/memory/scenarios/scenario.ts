/** Something that is done over and over in one process, and must leave nothing behind. */
export interface Scenario {
  /** How often the full measurement does it. */
  readonly times: number;
  /** It is too slow for less than the full measurement, or shows nothing in less. @default false */
  readonly onlyInFull?: boolean | undefined;
  readonly prepare: () => () => unknown;
}

export type Scenarios = Readonly<Record<string, Scenario>>;
