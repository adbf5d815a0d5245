import { KumikoError } from "../errors.js";
import { shorten } from "../schema/shorten.js";
import type { StandardIssue } from "../schema/standard-schema.js";

const outputBrand = Symbol.for("kumiko/InvalidOutputError");

/**
 * The answer of a model does not match the output schema.
 *
 * @example
 * const forecast = structured(model, z.object({ celsius: z.number() }), { outputRepairs: 0 });
 * try {
 *   await forecast.invoke([userMessage("Weather in Kyoto?")]);
 * } catch (error) {
 *   if (InvalidOutputError.is(error)) console.log(error.text, error.issues);
 * }
 */
export class InvalidOutputError extends KumikoError {
  override readonly name: string = "InvalidOutputError";
  readonly [outputBrand] = true;
  /** The last answer, as the model wrote it. */
  readonly text: string;
  /** The validation errors. */
  readonly issues: readonly StandardIssue[];

  /** `repairs` is how often the model was asked to correct its answer before. */
  constructor(text: string, issues: readonly StandardIssue[], explained: string, repairs = 0) {
    const asked = repairs === 0 ? "" : `, although the model was asked ${times(repairs)} to correct it`;
    super(
      "INVALID_OUTPUT",
      `The answer does not match the output schema${asked}:${explained}\nThe answer was ${shorten(text)}.`,
    );
    this.text = text;
    this.issues = issues;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static override is(value: unknown): value is InvalidOutputError {
    return typeof value === "object" && value !== null && outputBrand in value;
  }
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
