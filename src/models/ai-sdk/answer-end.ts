import { type Fields, isFields, textIf } from "../../is.js";
import type { FinishReason, ResponseMeta } from "../../schema/message/agentic-message.js";
import { concatResponseMetas } from "../../schema/message/concat-response-meta.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { answerFailed, emptyAnswer, noReason, streamCut } from "../errors.js";
import { type Answering, providerModelName } from "./provider-model.js";
import { usageOf } from "./usage.js";

/** Why an answer ended, in one form for all specs. */
interface Reason {
  readonly unified: FinishReason;
  readonly raw: string | undefined;
}

/**
 * What is known of an answer as a whole: its ids, and how it ended. A stream may say so several times, or not at all when
 * its connection was cut.
 */
export class AnswerEnd {
  readonly #model: Answering;
  readonly #metas: ResponseMeta[] = [];
  #response: Fields = {};
  #providerMetadata: unknown;
  #reason: Reason | undefined;
  #cut: string | undefined = "it ended without a finish.";

  constructor(model: Answering) {
    this.#model = model;
  }

  get #name(): string {
    return providerModelName(this.#model);
  }

  /** `response-metadata` of a stream, `response` of a whole answer. */
  addResponse(response: Fields): void {
    const { id, modelId, timestamp } = response;
    this.#response = { ...this.#response, ...withoutUndefined({ id, modelId, timestamp: dateText(timestamp) }) };
  }

  /** The last one counts. Packages make one up where the service sent none: that is told from a real one. */
  finish({ finishReason, usage, providerMetadata }: Fields): void {
    this.#reason = reasonOf(finishReason);
    this.#cut = madeUp(finishReason, this.#reason);
    const tokenUsage = usageOf(usage, providerMetadata);
    if (tokenUsage !== undefined) this.#metas.push({ tokenUsage });
    if (providerMetadata !== undefined) this.#providerMetadata = providerMetadata;
  }

  /** Throws when the stream that has ended was no whole answer. */
  checkStream({ isEmpty }: { readonly isEmpty: boolean }): void {
    this.#checkReason();
    if (isEmpty && this.#reason !== undefined) throw emptyAnswer(this.#name);
    if (this.#cut !== undefined) throw streamCut(this.#name, this.#cut);
  }

  /** An answer that came in one piece is whole, unless it says that it is not. */
  checkAnswer(): void {
    this.#checkReason();
    if (this.#reason?.unified === "interrupted") throw streamCut(this.#name, "the service was interrupted.");
  }

  #checkReason(): void {
    const { unified, raw } = this.#reason ?? {};
    if (unified === "error") throw answerFailed(this.#name, raw);
  }

  /** The provider's id of the answer. */
  get id(): string | undefined {
    return textIf(this.#response.id);
  }

  get responseMeta(): ResponseMeta {
    const { provider } = this.#model;
    const { unified, raw } = this.#reason ?? {};
    const { id, modelId, timestamp } = this.#response;
    const usage = this.#metas.length > 1 ? concatResponseMetas(this.#metas) : this.#metas[0];
    return withoutUndefined<ResponseMeta>({
      tokenUsage: usage?.tokenUsage,
      finishReason: unified || undefined,
      rawFinishReason: raw || undefined,
      model: providerModelName(this.#model),
      extension: withoutUndefined({ provider, id, modelId, timestamp, providerMetadata: this.#providerMetadata }),
    });
  }
}

function reasonOf(given: unknown): Reason {
  if (!isFields(given)) return { unified: wordOf(given), raw: undefined };
  return { unified: wordOf(given.unified), raw: textIf(given.raw) };
}

/** `"content-filter"` is `"content_filter"`; anything that is not a reason is `"other"`. */
function wordOf(given: unknown): FinishReason {
  return typeof given !== "string" || given === "unknown" ? "other" : given.replaceAll("-", "_");
}

/** How a stream was cut off whose package gave it a finish all the same. */
function madeUp(given: unknown, { unified, raw }: Reason): string | undefined {
  if (given === undefined || given === "unknown") return noReason;
  if (unified === "interrupted") return "the service did not say that it is complete.";
  const isNested = isFields(given);
  return isNested && unified === "other" && raw === undefined ? noReason : undefined;
}

function dateText(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  return textIf(value);
}
