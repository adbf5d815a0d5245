/**
 * Pairs each of `count` seekers with a partner of its own, as many as possible: the first match is taken back when another
 * seeker has no other. Returns the partner of each seeker; `undefined` for those left over.
 */
export function maximumMatching(
  count: number,
  partners: number,
  matches: (seeker: number, partner: number) => boolean,
): (number | undefined)[] {
  const fits = Array.from({ length: count }, (_one, seeker) =>
    Array.from({ length: partners }, (_other, partner) => partner).filter((partner) => matches(seeker, partner)),
  );
  const seekerOf = new Map<number, number>();
  const assign = (seeker: number, tried: Set<number>): boolean => {
    for (const partner of fits[seeker] ?? []) {
      if (tried.has(partner)) continue;
      tried.add(partner);
      const other = seekerOf.get(partner);
      if (other !== undefined && !assign(other, tried)) continue;
      seekerOf.set(partner, seeker);
      return true;
    }
    return false;
  };
  for (let seeker = 0; seeker < count; seeker++) assign(seeker, new Set());
  const found = new Array<number | undefined>(count).fill(undefined);
  for (const [partner, seeker] of seekerOf) found[seeker] = partner;
  return found;
}
