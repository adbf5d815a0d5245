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

  /** Whether the service has said anything about the answer itself, such as its id. */
  get hasResponse(): boolean {
    for (const _ in this.#response) return true;
    return false;
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

  /**
   * Throws if there is no complete answer: the same whether it was streamed or came in one piece. If nothing but a finish has
   * arrived (`isEmpty`), that is an answer only if the provider has a reason for it, such as `content_filter`.
   */
  check({ isEmpty }: { readonly isEmpty: boolean }): void {
    const { unified, raw } = this.#reason ?? {};
    if (unified === "error") throw answerFailed(this.#name, raw);
    if (isEmpty && this.#reason !== undefined && (this.#cut === noFinishReason || unified === "stop")) {
      throw emptyAnswer(this.#name);
    }
    if (this.#cut !== undefined) throw streamCut(this.#name, this.#cut);
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
