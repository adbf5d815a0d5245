import type { Mode, Way } from "./ways.js";

/** Tests that run as they are written in some combinations, because what they say cannot hold there. */
export interface Exception {
  /** Below `test/compose/`. */
  readonly file: string;
  /** The name of the test, or of what stands around it; without one the whole file. */
  readonly test?: string | RegExp;
  /** @default all but `plain`; with `modes`, all */
  readonly ways?: readonly Way[];
  /** @default all */
  readonly modes?: readonly Mode[];
  readonly why: string;
  /** It holds there now and then: nobody is told when it does. */
  readonly sometimes?: boolean;
}

export const exceptions: readonly Exception[] = [];

export const knownDefects: readonly Exception[] = [];
