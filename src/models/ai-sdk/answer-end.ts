import { type Fields, isFields, textIf } from "../../is.js";
import type { FinishReason, ResponseMeta } from "../../schema/message/agentic-message.js";
import { concatResponseMetas } from "../../schema/message/concat-response-meta.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { answerFailed, emptyAnswer, noFinishReason, streamCut } from "../errors.js";
import { type ModelIdentity, providerModelName } from "./provider-model.js";
import { usageOf } from "./usage.js";

/** The finish reason, in one form for all specs. */
interface Reason {
  readonly unified: FinishReason;
  readonly raw: string | undefined;
}

/**
 * Collects the metadata of an answer: its ids, its usage and its finish reason. A stream may send them several times, or not at
 * all if it was cut off.
 */
export class AnswerEnd {
  readonly #model: ModelIdentity;
  readonly #metas: ResponseMeta[] = [];
  #response: Fields = {};
  #providerMetadata: unknown;
  #reason: Reason | undefined;
  #cut: string | undefined = "it ended without a finish.";

  constructor(model: ModelIdentity) {
    this.#model = model;
  }

  get #name(): string {
    return providerModelName(this.#model);
  }

  /** Adds the `response-metadata` part of a stream, or the `response` of a complete answer. */
  addResponse(response: Fields): void {
    const { id, modelId, timestamp } = response;
    this.#response = { ...this.#response, ...withoutUndefined({ id, modelId, timestamp: dateText(timestamp) }) };
  }

  /** Records the finish reason; the last one wins. Detects those that a package made up because the service sent none. */
  finish({ finishReason, usage, providerMetadata }: Fields): void {
    this.#reason = reasonOf(finishReason);
    this.#cut = missingFinish(finishReason, this.#reason);
    const tokenUsage = usageOf(usage, providerMetadata);
    if (tokenUsage !== undefined) this.#metas.push({ tokenUsage });
    if (providerMetadata !== undefined) this.#providerMetadata = providerMetadata;
  }

  /** Throws if a stream ended without a complete answer. */
  checkStream({ isEmpty }: { readonly isEmpty: boolean }): void {
    this.#checkReason();
    if (isEmpty && this.#reason !== undefined) throw emptyAnswer(this.#name);
    if (this.#cut !== undefined) throw streamCut(this.#name, this.#cut);
  }

  /** Throws if an answer that came in one piece is marked as failed or interrupted. */
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
  if (!isFields(given)) return { unified: finishReasonOf(given), raw: undefined };
  return { unified: finishReasonOf(given.unified), raw: textIf(given.raw) };
}

/** Converts `"content-filter"` to `"content_filter"`; an unknown or missing reason becomes `"other"`. */
function finishReasonOf(given: unknown): FinishReason {
  if (typeof given !== "string" || given === "unknown") return "other";
  return given.includes("-") ? given.replaceAll("-", "_") : given;
}

/** Describes how a stream was cut off if its package made up the finish reason. */
function missingFinish(given: unknown, { unified, raw }: Reason): string | undefined {
  if (given === undefined || given === "unknown") return noFinishReason;
  if (unified === "interrupted") return "the service did not say that it is complete.";
  const isNested = isFields(given);
  return isNested && unified === "other" && raw === undefined ? noFinishReason : undefined;
}

function dateText(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  return textIf(value);
}
