import { KumikoError, messageOf } from "../errors.js";
import { isFields } from "../is.js";
import { shorten, shortenText } from "../schema/shorten.js";

// bad input

const invalidModel = (what: string): KumikoError => new KumikoError("INVALID_MODEL", what);

/** A value that is not a model. Common mistakes have specific messages. */
export function notAModel(given: unknown, where: string, method: "doGenerate" | "doEmbed"): KumikoError {
  const example = method === "doGenerate" ? 'openai("gpt-5")' : 'openai.embedding("text-embedding-3-small")';
  if (typeof given === "string") {
    return invalidModel(
      `${where} takes a model, not the name of one (got "${given}"). Import a provider package, such as @ai-sdk/openai, and write ${example}.`,
    );
  }
  if (typeof given === "function") {
    return invalidModel(`${where} takes a model, but got a function. If it is a provider, call it: ${example}.`);
  }
  if (typeof given !== "object" || given === null) {
    return invalidModel(`${where} takes a model, such as ${example} (got ${shorten(given)}).`);
  }
  if ("then" in given) return invalidModel(`${where} takes a model, but got a promise. Await it first.`);
  if (method in given && "specificationVersion" in given) {
    return invalidModel(
      `${where} supports the specs v2, v3 and v4 of the AI SDK, but this model implements ${shorten(given.specificationVersion)}. ` +
        "Install a matching version of its package.",
    );
  }
  if ("languageModel" in given) {
    return invalidModel(`${where} takes a model, but got a provider. Ask it for a model: ${example}.`);
  }
  return invalidModel(
    `${where} takes a model, such as ${example}, but this object has no ${method}. ` +
      "A custom model needs component, and generate or stream.",
  );
}

/** A name that stands for no model. `models` is the option of the runtime, if it has it. */
export function noModel(name: string, where: string, models: object | undefined, cause?: unknown): KumikoError {
  const given = shorten(name);
  const text =
    models === undefined
      ? `${where} got the name of a model, ${given}, but its runtime has no models. ` +
        'Write new Runtime({ models: createProviderRegistry({ openai }) }), with a registry or gateway of the AI SDK, and pass it as runtime; or pass the model itself, such as openai("gpt-5").'
      : `${where} got the name of a model, ${given}, for which the models of its runtime have none. ` +
        `Write it as they know it, or add it to new Runtime({ models }).${cause === undefined ? "" : ` ${messageOf(cause)}`}`;
  return new KumikoError("NO_MODEL", text, cause === undefined ? {} : { cause });
}

export const invalidModelOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const invalidMedia = (what: string): KumikoError => new KumikoError("INVALID_MESSAGE", what);

export const nothingToSend = (model: string): KumikoError =>
  new KumikoError(
    "INVALID_MESSAGE",
    `There is nothing to send to ${model}: the messages have no content that it could read. Give it at least one with content.`,
  );

// what a model answers

export const streamCut = (model: string, how: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "STREAM_CUT",
    `The answer of ${model} was cut off: ${how} What has arrived is not the whole answer. Ask again, for example with retryModel.` +
      (cause === undefined ? "" : ` ${messageOf(cause)}`),
    cause === undefined ? {} : { cause },
  );

export const emptyAnswer = (model: string): KumikoError =>
  new KumikoError(
    "EMPTY_STREAM",
    `The answer of ${model} is empty, as when a service sends an empty body. Ask again, for example with retryModel.`,
  );

export const answerFailed = (model: string, rawReason: string | undefined): KumikoError =>
  new KumikoError(
    "MODEL_FAILED",
    `${model} ended its answer with an error${rawReason === undefined ? "" : ` (${rawReason})`}. Ask again, or check the request.`,
  );

/** An error that a provider sent in the middle of an answer. An `Error` is returned unchanged. */
export function streamError(model: string, error: unknown): unknown {
  if (error instanceof Error)
    return earlyEndMessage.test(error.message) ? streamCut(model, noFinishReason, error) : error;
  const what = isFields(error) && isFields(error.error) ? error.error : error;
  const text = isFields(what) && typeof what.message === "string" ? what.message : shorten(what);
  return new KumikoError("MODEL_FAILED", `${model} sent an error: ${shortenText(text)}`, { cause: error });
}

export const noAnswer = (model: string, method: string, given: unknown): KumikoError =>
  new KumikoError("MODEL_FAILED", `${method} of ${model} returned an unreadable answer (got ${shorten(given)}).`);

export const notAnAnswer = (model: string | undefined = "A model", given: unknown): KumikoError =>
  new KumikoError(
    "MODEL_FAILED",
    `${model} returned something that is not a message (got ${shorten(given)}). generate and stream must return messages, such as assistantMessage("…").`,
  );

/**
 * A failure in other words: nobody should think that it was the only attempt. An error keeps its class and fields, by which programs
 * tell errors apart; the original is its cause.
 */
function retold(failure: unknown, text: string): unknown {
  if (!(failure instanceof Error)) return new KumikoError("MODEL_FAILED", text, { cause: failure });
  const field = { configurable: true, writable: true, enumerable: false };
  const cause = { ...field, value: failure };
  if (typeof DOMException === "function" && failure instanceof DOMException) {
    return Object.defineProperty(new DOMException(text, failure.name), "cause", cause);
  }
  const copy: Error = Object.setPrototypeOf(new Error(text), Object.getPrototypeOf(failure));
  const stack = failure.stack?.replace(failure.message, () => text);
  const own: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(failure);
  for (const descriptor of Object.values(own)) {
    descriptor.configurable = true; // also where the original is frozen
    if ("value" in descriptor) descriptor.writable = true;
  }
  return Object.defineProperties(copy, {
    ...own,
    message: { ...field, value: text },
    stack: { ...field, value: stack },
    cause,
  });
}

/** The failure of the last attempt; unchanged if it was the only one, and nothing is to be said about it. */
export function attemptsFailed(failure: unknown, attempts: number, why = ""): unknown {
  if (attempts === 1 && why === "") return failure;
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return retold(
    failure,
    `The model was asked ${times}. At last, it failed with: ${sentence(failure)} ${why}`.trimEnd(),
  );
}

/** The failure of a model after which no other one is asked; unchanged if it was the first one. */
export function fallbackFailed(failure: unknown, before: readonly unknown[]): unknown {
  if (before.length === 0) return failure;
  const list = before.map((error, index) => `\n- model ${index + 1}: ${shortenText(messageOf(error))}`).join("");
  return retold(
    failure,
    `Model ${before.length + 1} failed with: ${sentence(failure)} It was asked because others had failed:${list}`,
  );
}

/** A function of an option has thrown, where it was asked about a failure. */
export const optionFunctionFailed = (option: string, failure: unknown, cause: unknown): KumikoError =>
  new KumikoError(
    KumikoError.is(cause) ? cause.code : "MODEL_FAILED",
    `The function ${option} threw ${shortenText(messageOf(cause))} when it was asked about a failure of the model: ${messageOf(failure)}`,
    { cause },
  );

function sentence(error: unknown): string {
  const text = messageOf(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The description of a stream that ended without a finish reason. */
export const noFinishReason = "the service sent no finish reason.";

/** Matches the messages of packages that detect an early end of a stream themselves. */
const earlyEndMessage = /\bstream ended (?:without|before)\b/i;

export const wrongEmbeddings = (model: string, expected: number, got: unknown): KumikoError =>
  new KumikoError(
    "MODEL_FAILED",
    `${model} returned ${Array.isArray(got) ? `${got.length} embeddings` : shorten(got)} for ${expected} texts.`,
  );

export const noPrice = (model: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `There is no price for "${model}". Prices: ${known.join(", ") || "none"}. Add one, per million tokens: { input, output }.`,
  );
