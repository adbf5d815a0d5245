import type { NodeContext } from "../../components/context.js";
import type { Embedder, EmbedderOptions } from "../../components/retrieval.js";
import { isFields } from "../../is.js";
import { shortenText } from "../../schema/shorten.js";
import { invalidTape, notVectors } from "./errors.js";
import { type Json, toJson } from "./plain-json.js";
import type { TapeDeck, TapedRequest } from "./tape-deck.js";

type EmbedderContext = NodeContext<unknown, EmbedderOptions>;

/** Asks embedders, with a tape in between, text by text: how texts are batched makes no difference. */
export class TapedEmbedders {
  readonly #deck: TapeDeck;
  /** Texts that were asked anew while everything is recorded. */
  readonly #asked = new Set<string>();

  constructor(deck: TapeDeck) {
    this.#deck = deck;
  }

  async embed(embedder: Embedder, texts: readonly string[], ctx: EmbedderContext): Promise<number[][]> {
    ctx.signal?.throwIfAborted();
    const { mode, folder, stats } = this.#deck;
    const vectors = new Map<string, number[]>();
    const requests = new Map<string, TapedRequest>();
    const missing: string[] = [];
    for (const text of new Set(texts)) {
      const taped = this.#requestOf(embedder, text, ctx);
      requests.set(text, taped);
      const name = this.#deck.nameOf(taped);
      const isFresh = mode === "record" && !this.#asked.has(name);
      const answer = isFresh ? undefined : this.#deck.peek(taped, ctx);
      if (answer !== undefined) vectors.set(text, vectorOf(answer, folder.pathOf(name)));
      else if (mode === "replay") throw this.#deck.miss(taped, ctx);
      else missing.push(text);
    }
    stats.replayed += vectors.size;
    if (missing.length > 0) {
      const fresh: unknown = await embedder.embed(missing, ctx);
      if (!areVectors(fresh) || fresh.length !== missing.length) throw notVectors(embedder.type ?? "", fresh, missing);
      for (const [index, text] of missing.entries()) {
        const taped = requests.get(text);
        const vector = fresh[index];
        if (taped === undefined || vector === undefined) continue;
        vectors.set(text, [...vector]);
        this.#deck.keep(taped, keptVector(vector), mode === "record");
        this.#asked.add(this.#deck.nameOf(taped));
      }
    }
    return texts.map((text) => [...(vectors.get(text) ?? [])]);
  }

  #requestOf(embedder: Embedder, given: string, { options }: EmbedderContext): TapedRequest {
    const { redact } = this.#deck.text;
    const { headers: _headers, ...others } = (options ?? {}) as Record<string, unknown>;
    const call = toJson(others, redact);
    const text = redact(given);
    const hasOptions = isFields(call) && Object.keys(call).length > 0;
    const model = redact(embedder.type ?? "");
    return {
      kind: "embedder",
      request: { kind: "embedder", model, text, ...(hasOptions && call !== undefined && { options: call }) },
      what: `the vector of a text by the embedder "${model}": ${shortenText(text, { length: 100 })}`,
    };
  }
}

function areVectors(value: unknown): value is readonly (readonly number[])[] {
  const isVector = (one: unknown): boolean => Array.isArray(one) && one.length > 0 && one.every(Number.isFinite);
  return Array.isArray(value) && value.every(isVector);
}

/** Vectors are exact: in 32 bits if that loses nothing. */
function keptVector(vector: readonly number[]): Readonly<Record<string, Json>> {
  const short = Float32Array.from(vector);
  const isExact = vector.every((value, index) => Object.is(short[index], value));
  const bytes = isExact ? short : Float64Array.from(vector);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return isExact ? { float32: data } : { float64: data };
}

function vectorOf(answer: Readonly<Record<string, Json>>, path: string): number[] {
  const { float32, float64 } = answer;
  const data = float32 ?? float64;
  const width = float32 === undefined ? 8 : 4;
  if (typeof data !== "string") throw invalidTape(path, "has an answer without a vector");
  const bytes = Buffer.from(data, "base64");
  if (bytes.byteLength === 0 || bytes.byteLength % width !== 0) throw invalidTape(path, "has a vector of a wrong size");
  // a buffer of its own, because typed arrays must be aligned
  const { buffer } = new Uint8Array(bytes);
  return [...(width === 4 ? new Float32Array(buffer) : new Float64Array(buffer))];
}
