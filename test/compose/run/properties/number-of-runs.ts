/** How many random cases a property tries: few in CI, as many as you like with PROPERTY_RUNS=10000. */
export function numberOfRuns(few: number): number {
  const given = Number(process.env.PROPERTY_RUNS);
  return Number.isInteger(given) && given > 0 ? given : few;
}
