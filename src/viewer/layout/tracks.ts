/** A horizontal line between two rows, with the ends that come from above and those that go on below. */
export interface Track {
  readonly tops: Set<number>;
  readonly bottoms: Set<number>;
  /** Its place, counted from the top. */
  index: number;
}

/** The horizontal lines between two rows. Those of one name are one line. */
export class Channel {
  readonly #tracks = new Map<string, Track>();

  get isEmpty(): boolean {
    return this.#tracks.size === 0;
  }

  add(name: string, tops: readonly number[], bottoms: readonly number[]): Track {
    const track = this.#tracks.get(name) ?? { tops: new Set(), bottoms: new Set(), index: 0 };
    for (const x of tops) track.tops.add(x);
    for (const x of bottoms) track.bottoms.add(x);
    this.#tracks.set(name, track);
    return track;
  }

  /** Gives every line its place, so that few lines cross. Returns how many places there are. */
  arrange(): number {
    const order = ordered([...this.#tracks.values()]);
    let count = 0;
    order.forEach((track, position) => {
      const above = order.slice(0, position).filter((other) => isBeside(other, track));
      track.index = above.length === 0 ? 0 : Math.max(...above.map(({ index }) => index)) + 1;
      count = Math.max(count, track.index + 1);
    });
    return count;
  }
}

function ordered(tracks: readonly Track[]): Track[] {
  const order: Track[] = [];
  for (const track of tracks) {
    let position = 0;
    let best = Number.POSITIVE_INFINITY;
    for (let place = 0; place <= order.length; place++) {
      const cost =
        order.slice(0, place).reduce((sum, other) => sum + costAbove(other, track), 0) +
        order.slice(place).reduce((sum, other) => sum + costAbove(track, other), 0);
      if (cost >= best) continue;
      best = cost;
      position = place;
    }
    order.splice(position, 0, track);
  }
  return order;
}

/** How many lines cross where the first stands above the second. Lines that would lie on each other count more. */
function costAbove(upper: Track, lower: Track): number {
  const covered = [...upper.bottoms].filter((x) => [...lower.tops].some((other) => Math.abs(x - other) < 6)).length;
  return within(lower.tops, upper) + within(upper.bottoms, lower) + 6 * covered;
}

function within(ends: ReadonlySet<number>, track: Track): number {
  const [low, high] = spanOf(track);
  return [...ends].filter((x) => x > low + 1 && x < high - 1).length;
}

function isBeside(a: Track, b: Track): boolean {
  const [lowA, highA] = spanOf(a);
  const [lowB, highB] = spanOf(b);
  return Math.max(lowA, lowB) < Math.min(highA, highB) + 12;
}

function spanOf({ tops, bottoms }: Track): [number, number] {
  const all = [...tops, ...bottoms];
  return [Math.min(...all), Math.max(...all)];
}
