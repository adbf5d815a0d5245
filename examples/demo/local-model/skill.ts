import type { Plan } from "./plan.js";
import type { Clause } from "./question.js";

/** One kind of question that the model understands. */
export interface Skill {
  /** A question of this kind, for people who wonder what they may ask. */
  readonly example: string;
  /** The way to its answer, when a question is of this kind. */
  readonly understand: (clause: Clause) => Plan | undefined;
}
