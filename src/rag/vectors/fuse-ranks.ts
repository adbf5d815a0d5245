/** Found by one query, or one retriever: the best first. */
export interface RankedList<Item> {
  readonly items: readonly Item[];
  readonly weight: number;
}

export interface Fused<Item> {
  readonly item: Item;
  readonly score: number;
}

/** How little the first ranks differ. */
export const defaultK = 60;

/** Reciprocal rank fusion: each list gives an item `weight / (k + rank)`. The first item of an id is the one that is kept. */
export function fuseRanks<Item extends { readonly id: string }>(
  lists: readonly RankedList<Item>[],
  k: number = defaultK,
): Fused<Item>[] {
  const fused = new Map<string, { item: Item; score: number }>();
  for (const { items, weight } of lists) {
    for (const [index, item] of items.entries()) {
      const found = fused.get(item.id) ?? { item, score: 0 };
      found.score += weight / (k + index + 1);
      fused.set(item.id, found);
    }
  }
  return [...fused.values()];
}
