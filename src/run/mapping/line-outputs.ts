import { START_INDEX } from "../../compose/plan/plan.js";
import type { Run } from "../run.js";
import type { Outputs } from "./bound-mapping.js";
import { MISSING } from "./read-path.js";

/** The outputs of the nodes of a line so far. */
export class LineOutputs implements Outputs {
  readonly run: Run;
  /** The node whose input is being assembled. */
  target = START_INDEX;
  private readonly values: unknown[];

  constructor(run: Run) {
    this.run = run;
    this.values = new Array<unknown>(run.program.next.length);
  }

  keep(index: number, value: unknown): void {
    this.values[index] = value;
  }

  at(index: number): unknown {
    return this.values[index];
  }

  failureAt(): unknown {
    return MISSING;
  }
}
