import type { Document } from "../../schema/document.js";
import { invalidValue } from "../errors.js";
import { compareTexts } from "../vectors/compare-texts.js";
import { defaultK, fuseRanks } from "../vectors/fuse-ranks.js";

/** Options of {@link fuse}. */
export interface FuseOptions {
  /** The weight of each list. @default 1 each */
  readonly weights?: readonly number[] | undefined;
  /** The smoothing constant: the larger, the less the top ranks dominate. @default 60 */
  readonly k?: number | undefined;
  /** How many documents are returned. @default all */
  readonly topK?: number | undefined;
}

/**
 * Merges ranked lists of documents (best first) by rank alone (reciprocal rank fusion): documents near the top of several
 * lists come first, and each document appears once.
 *
 * @example
 * const a = { id: "a", content: "A", metadata: {} };
 * const b = { id: "b", content: "B", metadata: {} };
 * const best = fuse([[a, b], [b]], { topK: 1 });
 */
export function fuse(
  lists: readonly (readonly Document[])[],
  { weights, k = defaultK, topK }: FuseOptions = {},
): Document[] {
  if (weights !== undefined && (weights.length !== lists.length || !weights.every((weight) => weight >= 0)))
    throw invalidValue("weights", `a list of ${lists.length} numbers of at least 0`, weights);
  if (!(k > 0)) throw invalidValue("k", "a number above 0", k);
  if (topK !== undefined && (!Number.isInteger(topK) || topK < 1))
    throw invalidValue("topK", "a whole number of at least 1", topK);
  return fuseRanks(
    lists.map((items, index) => ({ items, weight: weights?.[index] ?? 1 })),
    k,
  )
    .sort((one, other) => other.score - one.score || compareTexts(one.item.id, other.item.id))
    .slice(0, topK)
    .map(({ item, score }) => ({ ...item, score }));
}
