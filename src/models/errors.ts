import { KumikoError, messageOf } from "../errors.js";
import { isFields } from "../is.js";
import { shorten, shortenText } from "../schema/shorten.js";
import type { StandardIssue } from "../schema/standard-schema.js";

// bad input

const invalidModel = (what: string): KumikoError => new KumikoError("INVALID_MODEL", what);

/** Describes what was given instead of a model; common mistakes have their own message. */
export function notAModel(given: unknown, where: string, method: "doGenerate" | "doEmbed"): KumikoError {
  const example = method === "doGenerate" ? 'openai("gpt-5")' : 'openai.embedding("text-embedding-3-small")';
  if (typeof given === "string") {
    return invalidModel(
      `${where} takes a model, not the name of one (got "${given}"). Import a provider package, such as @ai-sdk/openai, and write ${example}.`,
    );
  }
  if (typeof given === "function") {
    return invalidModel(`${where} takes a model, but got a function, perhaps a provider. Call it: ${example}.`);
  }
  if (typeof given !== "object" || given === null) {
    return invalidModel(`${where} takes a model, such as ${example} (got ${shorten(given)}).`);
  }
  if ("then" in given) return invalidModel(`${where} takes a model, but got a promise. Await it first.`);
  if (method in given && "specificationVersion" in given) {
    return invalidModel(
      `${where} knows the specs v2, v3 and v4 of the AI SDK, but this model is of ${shorten(given.specificationVersion)}. ` +
        "Install a version of its package that matches.",
    );
  }
  if ("languageModel" in given) {
    return invalidModel(`${where} takes a model, but got a provider. Ask it for a model: ${example}.`);
  }
  return invalidModel(
    `${where} takes a model, such as ${example}, but this object has no ${method}. ` +
      "A model of your own has component, generate and stream: it is used as it is.",
  );
}

export const unknownModelOption = (where: string, option: string, known: readonly string[]): KumikoError =>
  new KumikoError("INVALID_OPTION", `Unknown option "${option}" of ${where}. Options: ${known.join(", ")}.`);

export const invalidModelOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const invalidMedia = (what: string): KumikoError => new KumikoError("INVALID_MESSAGE", what);

// what a model answers

export const streamCut = (model: string, how: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "STREAM_CUT",
    `The stream of ${model} was cut off: ${how} What came before is not the whole answer. Ask again, with retryModel for instance.` +
      (cause === undefined ? "" : ` ${messageOf(cause)}`),
    cause === undefined ? {} : { cause },
  );

export const emptyAnswer = (model: string): KumikoError =>
  new KumikoError(
    "EMPTY_STREAM",
    `The stream of ${model} ended without content, as when a service sends an empty body. Ask again, with retryModel for instance.`,
  );

export const answerFailed = (model: string, rawReason: string | undefined): KumikoError =>
  new KumikoError(
    "MODEL_FAILED",
    `${model} ended its answer with an error${rawReason === undefined ? "" : ` (${rawReason})`}. Ask again, or look at what was asked.`,
  );

/** An error that a provider sent in the middle of an answer. An `Error` is given on as it is. */
export function streamError(model: string, error: unknown): unknown {
  if (error instanceof Error) return saysThatItWasCut.test(error.message) ? streamCut(model, noReason, error) : error;
  const what = isFields(error) && isFields(error.error) ? error.error : error;
  const text = isFields(what) && typeof what.message === "string" ? what.message : shorten(what);
  return new KumikoError("MODEL_FAILED", `${model} sent an error: ${shortenText(text)}`, { cause: error });
}

export const noAnswer = (model: string, method: string, given: unknown): KumikoError =>
  new KumikoError("MODEL_FAILED", `${method} of ${model} gave nothing that can be read (got ${shorten(given)}).`);

export const notAnAnswer = (model: string, given: unknown): KumikoError =>
  new KumikoError(
    "MODEL_FAILED",
    `${model} gave something that is not a message (got ${shorten(given)}). generate and stream of a model give messages: assistantMessage("…").`,
  );

/** How a stream was cut off that ended without saying why. */
export const noReason = "the service gave no reason for its end.";

/** Of packages that look for the end of a stream themselves. */
const saysThatItWasCut = /\bstream ended (?:without|before)\b/i;

export const wrongEmbeddings = (model: string, expected: number, got: unknown): KumikoError =>
  new KumikoError(
    "MODEL_FAILED",
    `${model} was given ${expected} texts and gave ${Array.isArray(got) ? `${got.length} embeddings` : shorten(got)}.`,
  );

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
  /** What each of the models failed with, in their order. */
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    const list = errors.map((error, index) => `\n- model ${index + 1}: ${shortenText(messageOf(error))}`).join("");
    super("MODELS_EXHAUSTED", `No model is left: every one of ${errors.length} has failed.${list}`, {
      cause: errors.at(-1),
    });
    this.errors = errors;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static override is(value: unknown): value is ModelsExhaustedError {
    return typeof value === "object" && value !== null && exhaustedBrand in value;
  }
}

const outputBrand = Symbol.for("kumiko/InvalidOutputError");

/**
 * What a model answered does not fit the schema of its output.
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
  /** What is wrong with it. */
  readonly issues: readonly StandardIssue[];

  constructor(text: string, issues: readonly StandardIssue[], explained: string) {
    super(
      "INVALID_OUTPUT",
      `The answer does not fit the schema of the output:${explained}\nThe answer was ${shorten(text)}.`,
    );
    this.text = text;
    this.issues = issues;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static override is(value: unknown): value is InvalidOutputError {
    return typeof value === "object" && value !== null && outputBrand in value;
  }
}

export const noPrice = (model: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `There is no price for "${model}". Prices: ${known.join(", ") || "none"}. Add it, per million tokens: { input, output }.`,
  );
