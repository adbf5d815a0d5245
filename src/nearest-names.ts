/** How many characters of a name are compared. */
const mostLetters = 64;

/** The known names that are most similar to a name, nearest first. */
export function nearestNames(name: string, known: readonly string[], count: number): readonly string[] {
  if (known.length <= count) return known;
  const wanted = plain(name);
  const distances = new Map(known.map((each) => [each, distance(wanted, plain(each))]));
  const distanceOf = (each: string): number => distances.get(each) ?? 0;
  return known.toSorted((left, right) => distanceOf(left) - distanceOf(right)).slice(0, count);
}

/** The known name that a misspelled one is most likely meant to be; `undefined` if none is similar enough. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  let similar: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const each of known) {
    const changes = distance(plain(name), plain(each));
    if (changes >= least || changes > 1 + each.length / 4) continue;
    least = changes;
    similar = each;
  }
  return similar;
}

function plain(name: string): string {
  return name.slice(0, mostLetters).toLowerCase();
}

/** The Levenshtein distance. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const changed = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
