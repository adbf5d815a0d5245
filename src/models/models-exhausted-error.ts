import { KumikoError, messageOf } from "../errors.js";
import { shortenText } from "../schema/shorten.js";

const exhaustedBrand = Symbol.for("kumiko/ModelsExhaustedError");

/**
 * Every model of a `fallbackModel` has failed.
 *
 * @example
 * try {
 *   await runnable(fallbackModel([openai("gpt-5"), model])).invoke([userMessage("Hi")]);
 * } catch (error) {
 *   if (ModelsExhaustedError.is(error)) console.log(error.errors.map(String));
 * }
 */
export class ModelsExhaustedError extends KumikoError {
  override readonly name: string = "ModelsExhaustedError";
  readonly [exhaustedBrand] = true;
  /** The errors of the models, in order. */
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    const list = errors.map((error, index) => `\n- model ${index + 1}: ${shortenText(messageOf(error))}`).join("");
    super("MODELS_EXHAUSTED", `All ${errors.length} models failed:${list}`, {
      cause: errors.at(-1),
    });
    this.errors = errors;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static override is(value: unknown): value is ModelsExhaustedError {
    return typeof value === "object" && value !== null && exhaustedBrand in value;
  }
}
