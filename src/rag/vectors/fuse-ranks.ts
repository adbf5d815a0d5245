/** The results of one query or retriever, best first. */
export interface RankedList<Item> {
  readonly items: readonly Item[];
  readonly weight: number;
}

export interface Fused<Item> {
  readonly item: Item;
  readonly score: number;
}

/** The smoothing constant: the larger, the less the top ranks dominate. */
export const defaultK = 60;

/** Reciprocal rank fusion: each list adds `weight / (k + rank)` to the score of an item. Of items with the same id, the first is kept. */
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
