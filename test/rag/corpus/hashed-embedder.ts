import type { Embedder } from "kumiko";

const dimension = 512;

/**
 * Stands in for an embedding model, so that examples run without a key. It counts words and three letters that stand side by
 * side, in places that a hash function picks: texts with the same words and word stems come close to each other, and that is all
 * it knows of meaning. Put any other `Embedder`, or an embedding model of the AI SDK, in its place.
 */
export function hashedEmbedder(): Embedder {
  return { component: "embedder", type: "HashedEmbedder", embed: async (texts) => texts.map(embedText) };
}

export const embeddingDimension = dimension;

function embedText(text: string): number[] {
  const vector = new Array<number>(dimension).fill(0);
  vector[0] = 1e-3; // no direction at all would be an error
  for (const [feature, count] of countFeatures(text)) {
    const hash = hashOf(feature);
    const place = hash % dimension;
    const weight = (1 + Math.log(count)) * (feature.startsWith("=") ? 2 : 1);
    vector[place] = (vector[place] ?? 0) + (hash & 0x4000_0000 ? weight : -weight);
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function countFeatures(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (feature: string) => counts.set(feature, (counts.get(feature) ?? 0) + 1);
  for (const word of wordsOf(text)) {
    if (tooCommon.has(word)) continue;
    count(`=${word}`);
    const letters = [...(isCjk.test(word) ? word : ` ${word} `)];
    const size = isCjk.test(word) ? 2 : 3;
    for (let start = 0; start + size <= letters.length; start++) count(letters.slice(start, start + size).join(""));
  }
  return counts;
}

export function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Words that say little about what a text is about. */
export const tooCommon: ReadonlySet<string> = new Set(
  "a an and are as at be but by can do does for from had has have how i if in is it its my not of on or so that the their them then there these they this to was we were what when where which who why will with you your der die das und ist ein eine wie was".split(
    " ",
  ),
);

const isCjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
