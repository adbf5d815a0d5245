import { invalidValue } from "../errors.js";
import { cosine } from "../vector-math.js";

/** Options of {@link mmr}. */
export interface MmrOptions {
  /** The vector that is searched for. */
  readonly queryVector: readonly number[];
  /** How many documents are returned. @default 10 */
  readonly topK?: number | undefined;
  /** The balance between relevance (1) and diversity (0). @default 0.5 */
  readonly lambda?: number | undefined;
}

/**
 * Selects items that are similar to the query but not to each other (maximal marginal relevance). Query with
 * `includeVector: true` and a larger `topK`, so that there are enough items to choose from.
 *
 * @example
 * const found = await memoryVectors().query({ indexName: "docs", queryVector: [1, 0], topK: 50, includeVector: true });
 * const varied = mmr(found, { queryVector: [1, 0], topK: 5 });
 */
export function mmr<Item extends { readonly vector?: readonly number[] }>(
  items: readonly Item[],
  { queryVector, topK = 10, lambda = 0.5 }: MmrOptions,
): Item[] {
  if (!(lambda >= 0 && lambda <= 1)) throw invalidValue("lambda", "a number from 0 to 1", lambda);
  if (!Number.isInteger(topK) || topK < 1) throw invalidValue("topK", "a whole number of at least 1", topK);
  const left = items.map((item) => {
    const { vector } = item;
    if (vector?.length !== queryVector.length)
      throw invalidValue("The vector of each item", `a list of ${queryVector.length} numbers`, vector?.length);
    return { item, vector, likeness: cosine(vector, queryVector), nearest: Number.NEGATIVE_INFINITY };
  });
  const chosen: Item[] = [];
  while (chosen.length < topK && left.length > 0) {
    const values = left.map(
      ({ likeness, nearest }) => lambda * likeness - (1 - lambda) * (chosen.length === 0 ? 0 : nearest),
    );
    const [best] = left.splice(values.indexOf(Math.max(...values)), 1);
    if (best === undefined) break;
    chosen.push(best.item);
    for (const other of left) other.nearest = Math.max(other.nearest, cosine(other.vector, best.vector));
  }
  return chosen;
}
